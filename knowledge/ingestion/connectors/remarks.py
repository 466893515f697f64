"""What a connector has to say beside documents."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """One plain sentence; a gap means that there may be documents that were not seen."""

    message: str
    is_gap: bool = False
