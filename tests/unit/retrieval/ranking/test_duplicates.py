"""Near duplicates."""

from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.duplicates import collapse, find_duplicates
from retrieval.types import Duplicate
from tests.unit.retrieval import builders
from tests.unit.retrieval.builders import NOW

ACME, GLOBEX = UUID(int=1), UUID(int=2)
NEWS = (
    "Camelot and Anthrax have agreed on a common kitchen. The knights will dine together from the"
    " coming spring on, said the head cook, who expects shrubbery on the menu and fewer coconuts."
    " The keeper of the bridge declined to comment on colours."
)


def evidence(number, **changes):
    return builders.evidence(number, **{"text": NEWS, "entity_ids": (), **changes})


def hit(rank, **changes):
    return builders.hit(rank, **{"entity_ids": (), **changes})


def are_duplicates(first, second):
    return find_duplicates([first, second]) == {second.chunk_id: first.chunk_id}


@pytest.mark.parametrize(
    "text",
    [
        NEWS,
        NEWS.upper(),
        NEWS.replace(". ", ".\n\n").replace(",", ""),
        f"“{NEWS}”",
        f"FYI, {NEWS}",
        f"{NEWS} Best regards",
        NEWS.removeprefix("Camelot ") + " Ni!",
    ],
)
def test_find_duplicates__the_same_words(text):
    assert are_duplicates(evidence(1, text=NEWS), evidence(2, text=text))


@pytest.mark.parametrize(
    "text",
    [
        NEWS.replace("will dine", "will not dine"),
        NEWS.replace("Camelot", "Caerbannog"),
        NEWS.replace("fewer", "more"),
        NEWS.removesuffix("on colours.") + "on swallows.",
        f"{NEWS} 12 September",
        f"{NEWS} And a long way on it went to say other things of its own that no other says.",
        "",
    ],
)
def test_find_duplicates__other_words(text):
    assert not are_duplicates(evidence(1, text=NEWS), evidence(2, text=text))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"title": "Price list 2025"}, {"title": "Price list 2026"}),
        ({"text": f"{NEWS} It costs -20."}, {"text": f"{NEWS} It costs 20."}),
        ({"text": f"{NEWS} It costs 1.5."}, {"text": f"{NEWS} It costs 15."}),
        ({"heading_path": ("Q1",)}, {"heading_path": ("Q2",)}),
        ({"prefix": "| 2025 |"}, {"prefix": "| 2026 |"}),
        ({"access_tags": ("everyone",)}, {"access_tags": ("sales",)}),
        ({"entity_ids": (ACME,)}, {"entity_ids": (GLOBEX,)}),
        ({"valid_until": NOW}, {"valid_until": NOW + timedelta(days=365)}),
        ({"document_id": 7}, {"document_id": 7}),
        ({"text": "Yes, thank you very much."}, {"text": "Yes, thank you very much."}),
    ],
)
def test_find_duplicates__what_is_no_duplicate(first, second):
    assert not are_duplicates(evidence(1, **first), evidence(2, **second))


def test_find_duplicates__order_of_tags_and_entities_does_not_count():
    first = evidence(1, access_tags=("a", "b"), entity_ids=(ACME, GLOBEX))
    assert are_duplicates(first, evidence(2, access_tags=("b", "a"), entity_ids=(GLOBEX, ACME)))


def test_collapse__the_best_stays_and_names_the_others():
    hits = [
        hit(1, text=NEWS),
        hit(2, title="Copy", text=NEWS.replace("Camelot", "Swamp Castle")),
        hit(3, text=NEWS.upper(), title="", external_id="b.txt", source_name="Wiki"),
    ]
    first, second = collapse(hits)
    assert (first.rank, first.evidence.chunk_id, second.rank) == (1, 1, 2)
    assert first.duplicates == (
        Duplicate(chunk_id=3, document_id=3, title="b.txt", source_name="Wiki"),
    )
    assert second.duplicates == ()


@given(
    texts=st.lists(
        st.sampled_from(["ni", f"{NEWS} 1", NEWS, NEWS.upper(), NEWS.lower()]), max_size=8
    )
)
def test_collapse__loses_no_passage_and_keeps_the_order(texts):
    hits = [hit(rank, text=text) for rank, text in enumerate(texts, start=1)]
    kept = collapse(hits)
    assert [each.rank for each in kept] == list(range(1, len(kept) + 1))
    ids = [each.evidence.chunk_id for each in kept]
    assert ids == sorted(ids)
    gathered = [duplicate.chunk_id for each in kept for duplicate in each.duplicates]
    assert sorted([*ids, *gathered]) == list(range(1, len(texts) + 1))
    for length in range(len(hits)):
        part = [each.evidence.chunk_id for each in collapse(hits[:length])]
        assert part == ids[: len(part)]
