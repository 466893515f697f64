"""Groups questions by meaning as they come: each joins the nearest group that is near enough."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


@dataclass(slots=True, kw_only=True)
class Group:
    """A group by its centroid, the mean of `weight` unit vectors, itself of unit length."""

    key: int | None
    centroid: Vector
    weight: int
    is_changed: bool = False


class Grouping:
    """Groups that questions join; their number is bounded by who makes it."""

    def __init__(self, groups: Sequence[Group], *, similarity: float, most: int) -> None:
        self._groups = list(groups)
        self._similarity = similarity
        self._most = most
        self._matrix: list[Vector] = [group.centroid for group in self._groups]

    def place(self, vector: Vector) -> Group | None:
        """Return the group the question belongs to, a new one if none is near enough.

        None if it would need a new one and there are too many. The oldest of several equally near
        groups is taken.
        """
        unit = _unit(vector)
        nearest = self._nearest(unit)
        if nearest is not None:
            group = self._groups[nearest]
            group.centroid = _unit(group.centroid * group.weight + unit)
            group.weight += 1
            group.is_changed = True
            self._matrix[nearest] = group.centroid
            return group
        if len(self._groups) >= self._most:
            return None
        group = Group(key=None, centroid=unit, weight=1, is_changed=True)
        self._groups.append(group)
        self._matrix.append(unit)
        return group

    def _nearest(self, unit: Vector) -> int | None:
        if not self._matrix:
            return None
        similarities = np.stack(self._matrix) @ unit
        best = int(np.argmax(similarities))
        return best if similarities[best] >= self._similarity else None


def _unit(vector: Vector) -> Vector:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
