"""When a host may be asked again."""

import time
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """In how many seconds a host may be asked.

    `is_refused` means that it asked to be left alone for longer than anybody waits; no turn was
    taken.
    """

    seconds: float
    is_refused: bool = False


class Pace(Protocol):
    """Keeps the pauses that hosts get between requests, and those that they ask for."""

    def take_turn(self, host: str, *, pause: float, patience: float) -> Turn:
        """Take the next turn at a host, after which it gets a pause.

        Who is asked to wait for more than `patience` seconds by the host itself gets none.
        """
        ...

    def leave_alone(self, host: str, *, seconds: float) -> None:
        """Note that a host asked not to be asked for some time."""
        ...


class OwnPace:
    """The pace of one fetcher that knows of no others."""

    def __init__(self) -> None:
        self._next_at: dict[str, float] = {}
        self._alone_until: dict[str, float] = {}

    def take_turn(self, host: str, *, pause: float, patience: float) -> Turn:
        now = time.monotonic()
        alone_until = self._alone_until.get(host, 0.0)
        if alone_until - now > patience:
            return Turn(seconds=alone_until - now, is_refused=True)
        starts = max(now, self._next_at.get(host, 0.0), alone_until)
        self._next_at[host] = starts + pause
        return Turn(seconds=starts - now)

    def leave_alone(self, host: str, *, seconds: float) -> None:
        until = time.monotonic() + seconds
        self._alone_until[host] = max(until, self._alone_until.get(host, 0.0))
