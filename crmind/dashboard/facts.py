"""What the first page says of the state of something."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line: how it stands, and what to do."""

    label: str
    badge: str
    state: str
    text: str = ""
    link: str = ""
