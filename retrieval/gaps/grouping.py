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
        # Rows beyond the groups there are wait for those to come.
        self._matrix = np.array([group.centroid for group in self._groups], np.float32)

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
        self._keep(unit)
        self._groups.append(group)
        return group

    def _keep(self, unit: Vector) -> None:
        count = len(self._groups)
        if count == len(self._matrix):
            larger = np.zeros((max(16, 2 * count), len(unit)), np.float32)
            if count:
                larger[:count] = self._matrix
            self._matrix = larger
        self._matrix[count] = unit

    def _nearest(self, unit: Vector) -> int | None:
        if not self._groups:
            return None
        similarities = self._matrix[: len(self._groups)] @ unit
        best = int(np.argmax(similarities))
        return best if similarities[best] >= self._similarity else None


def _unit(vector: Vector) -> Vector:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
