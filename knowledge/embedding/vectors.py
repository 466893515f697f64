"""Refuses vectors that cannot be compared."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from knowledge.embedding.base import EmbeddingSpec, Vector
from knowledge.exceptions import InvalidVectorError


def check_vectors(
    vectors: Iterable[npt.ArrayLike], spec: EmbeddingSpec, *, count: int
) -> list[Vector]:
    """Return `count` unit vectors of `spec.dimensions` numbers.

    Raises InvalidVectorError for a wrong count or width, NaN, an infinite number or a zero vector.
    """
    checked = [_unit_vector(vector, spec, position) for position, vector in enumerate(vectors)]
    if len(checked) != count:
        message = f"{spec.model} returned {len(checked)} vectors for {count} texts"
        raise InvalidVectorError(message)
    return checked


def _unit_vector(vector: npt.ArrayLike, spec: EmbeddingSpec, position: int) -> Vector:
    numbers = np.asarray(vector, dtype=np.float64)
    if numbers.shape != (spec.dimensions,):
        width = "x".join(map(str, numbers.shape))
        message = f"vector {position} of {spec.model} has {width} numbers, not {spec.dimensions}"
        raise InvalidVectorError(message)
    if not np.isfinite(numbers).all():
        message = f"vector {position} of {spec.model} holds NaN or an infinite number"
        raise InvalidVectorError(message)
    largest = np.abs(numbers).max()
    if largest == 0.0:
        message = f"vector {position} of {spec.model} is zero"
        raise InvalidVectorError(message)
    # Scaled first: the squares of very small or very large numbers do not fit.
    scaled = numbers / largest
    unit: Vector = (scaled / np.linalg.norm(scaled)).astype(np.float32)
    return unit
