"""The made-up corpus."""

from collections import Counter

import numpy as np
import pytest
from django.db import connection

from retrieval.evaluation.synthetic import VOCABULARY, make_chance


def test_make_chance__common_words_are_common():
    chance = make_chance(dimensions=8, seed=1)
    assert len(set(chance.words)) == VOCABULARY
    counts = Counter(chance.draw_ranks(20_000).tolist())
    assert counts[0] > counts[9] > counts[99]
    assert np.linalg.norm(chance.draw_vectors(3), axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


def test_make_chance__equal_seeds_draw_the_same():
    one, other = (make_chance(dimensions=8, seed=1) for _ in range(2))
    assert one.words == other.words
    assert (one.draw_vectors(2) == other.draw_vectors(2)).all()


@pytest.mark.django_db
def test_words__are_their_own_stems():
    words = make_chance(dimensions=8, seed=1).words[:2_000]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM unnest(%s::text[]) AS word"
            " WHERE ts_lexize('english_stem', word) <> array[word]",
            [words],
        )
        assert cursor.fetchone() == (0,)
