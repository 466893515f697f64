import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.embedding.base import EmbeddingSpec
from knowledge.embedding.vectors import check_vectors
from knowledge.exceptions import InvalidVectorError

SPEC = EmbeddingSpec(provider="test", model="tiny", dimensions=2, max_tokens=8)


def test_check_vectors__makes_unit_vectors():
    (vector,) = check_vectors([[3.0, 4.0]], SPEC, count=1)

    assert vector.dtype == np.float32
    assert vector.tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("vector", [[1e-200, 0.0], [1e200, 1e200], [5e-324, 5e-324]])
def test_check_vectors__very_small_or_large_numbers(vector):
    (unit,) = check_vectors([vector], SPEC, count=1)

    assert np.linalg.norm(unit) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 0.0], [math.nan, 1.0]], "vector 1 of tiny holds NaN or an infinite number"),
        ([[1.0, 0.0], [math.inf, 1.0]], "vector 1 of tiny holds NaN or an infinite number"),
        ([[1.0, 0.0], [0.0, -0.0]], "vector 1 of tiny is zero"),
        ([[1.0, 0.0], [1.0]], "vector 1 of tiny has 1 numbers, not 2"),
        ([[1.0, 0.0], [[1.0, 0.0]]], "vector 1 of tiny has 1x2 numbers, not 2"),
        ([[1.0, 0.0]], "tiny returned 1 vectors for 2 texts"),
        ([[1.0, 0.0]] * 3, "tiny returned 3 vectors for 2 texts"),
    ],
)
def test_check_vectors__refused(vectors, message):
    with pytest.raises(InvalidVectorError) as raised:
        check_vectors(vectors, SPEC, count=2)

    assert raised.value.message == message


@given(st.lists(st.floats(width=32), min_size=2, max_size=2))
def test_check_vectors__any_numbers_are_made_unit_or_refused(numbers):
    try:
        (unit,) = check_vectors([numbers], SPEC, count=1)
    except InvalidVectorError:
        assert not any(numbers) or not all(map(math.isfinite, numbers))
        return
    assert np.linalg.norm(unit) == pytest.approx(1.0, abs=1e-6)
