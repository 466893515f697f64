"""How long to wait before work that was set back is tried again, and when to stop trying."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Waits that double from `first_seconds` to `longest_seconds`; `most` tries, then no more.

    After the first `at_once` setbacks there is no wait.
    """

    at_once: int = 0
    first_seconds: float = 15.0
    longest_seconds: float = 900.0
    most: int = 8

    def is_over(self, setbacks: int) -> bool:
        """Tell whether so many setbacks without any progress are enough."""
        return setbacks >= self.most

    def delay_seconds(self, setbacks: int, *, jitter: float) -> float:
        """Return the wait after the nth setback; `jitter`, 0..1, spreads it over its upper half.

        Many who failed together do not come back together.
        """
        if setbacks <= self.at_once:
            return 0.0
        doubled = self.first_seconds * 2.0 ** (setbacks - self.at_once - 1)
        longest = min(self.longest_seconds, doubled)
        return longest * (1.0 + jitter) / 2.0


# A service that does not answer: up to eight tries within about an hour.
PASSING_FAULT = Backoff()
# A worker that died is most often one that was restarted: no wait at first, then some.
WORKER_DEATH = Backoff(at_once=2, first_seconds=2.0, longest_seconds=30.0, most=20)
# Runs of one version of a document that did not come to an end before it is given up.
MOST_DOCUMENT_ATTEMPTS = 3
