"""How much of its freshness a document has kept."""

from datetime import datetime, timedelta

DAY = timedelta(days=1)


def age_in_days(published_at: datetime | None, *, as_of: datetime) -> float | None:
    """Return the age of a document, 0 for one dated in the future, None for one without a date."""
    if published_at is None:
        return None
    return max((as_of - published_at) / DAY, 0.0)


def freshness(age_days: float | None, *, half_life_days: float, undated: float) -> float:
    """Return 1 for a new document, 0.5 at its half life, towards 0; `undated` without an age."""
    if age_days is None:
        return undated
    return float(0.5 ** (age_days / half_life_days))
