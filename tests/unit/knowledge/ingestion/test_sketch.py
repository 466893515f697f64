"""Sketches of texts."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.sketch import MIN_WORDS, similarity, sketch_text

chance = random.Random(5)
WORDS = [f"word{number}" for number in range(4_000)]
TEXT = " ".join(chance.choices(WORDS, k=400))


def edited(share):
    words = TEXT.split()
    for place in chance.sample(range(len(words)), int(len(words) * share)):
        words[place] = "changed"
    return " ".join(words)


def test_sketch_text__same_words_in_another_dress():
    first = sketch_text("The harbour closes at six. Ring the bell by the green door, then wait.")
    second = sketch_text("THE HARBOUR closes at six — ring the bell\nby the green door; then wait!")

    assert first == second


@pytest.mark.parametrize(("share", "least", "most"), [(0.01, 0.8, 1.0), (0.5, 0.0, 0.3)])
def test_similarity__falls_with_every_change(share, least, most):
    first, second = sketch_text(TEXT), sketch_text(edited(share))

    assert least <= similarity(first.signature, second.signature) <= most
    assert bool(set(first.bands) & set(second.bands)) == (share < 0.5)


def test_similarity__a_paragraph_more_is_nearly_the_same():
    longer = sketch_text(f"{' '.join(chance.choices(WORDS, k=40))} {TEXT}")

    assert similarity(sketch_text(TEXT).signature, longer.signature) > 0.75


def test_sketch_text__short_texts_are_not_compared():
    assert sketch_text("word " * (MIN_WORDS - 1)).signature == ()
    assert similarity((), ()) == 0.0


@given(st.text())
def test_sketch_text__any_text(text):
    sketch = sketch_text(text)

    assert sketch == sketch_text(text)
    assert all(0 <= value < 2**63 for value in (*sketch.signature, *sketch.bands))
    assert len(set(sketch.bands)) == len(sketch.bands)
