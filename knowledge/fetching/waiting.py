"""How long to wait before an address is asked again."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
# A server that asks for more is asked again the next day: it may have been a slip.
LONGEST_RETRY_AFTER_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often an address is asked, and how long between."""

    attempts: int = 4
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 60.0


def back_off(policy: RetryPolicy, *, failures: int, chance: float) -> float:
    """Return the seconds to wait after so many failures: doubled each time, with full jitter.

    `chance` is a random number from 0 to 1. Never less than a tenth: not all at once.
    """
    longest = min(policy.longest_wait_seconds, policy.first_wait_seconds * 2 ** (failures - 1))
    return float(longest * (0.1 + 0.9 * chance))


def read_retry_after(written: str, *, now: datetime) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, None if it says nothing usable."""
    written = written.strip()
    if written.isascii() and written.isdigit():
        return min(float(written[:9]), LONGEST_RETRY_AFTER_SECONDS)
    try:
        moment = parsedate_to_datetime(written)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max(0.0, (moment - now).total_seconds()), LONGEST_RETRY_AFTER_SECONDS)
