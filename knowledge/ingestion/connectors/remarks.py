"""What a connector has to say beside documents."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Count:
    """How many documents an item holds, told before them."""

    documents: int


@dataclass(frozen=True, slots=True)
class Remark:
    """One plain sentence; a gap means that there may be documents that were not seen.

    A doubt means the same of one file, which is a gap only where the source is that file.
    """

    message: str
    is_gap: bool = False
    is_doubt: bool = False
