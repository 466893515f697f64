"""What the numbers of trust and authority mean, in words."""

TRUST = (
    (0.15, "hardly believed"),
    (0.45, "believed with care"),
    (0.75, "believed as an ordinary report"),
    (0.92, "believed firmly"),
    (1.0, "believed like a contract"),
)
AUTHORITY = (
    (0.35, "of little standing"),
    (0.65, "of ordinary standing"),
    (0.85, "of high standing"),
    (1.0, "of the highest standing"),
)
# What a form shows again with its message at the field.
BEYOND = "not a number from 0 to 1"


def describe_trust(trust: float) -> str:
    """Return what a trust means."""
    return next((words for limit, words in TRUST if trust <= limit), BEYOND)


def describe_authority(authority: float) -> str:
    """Return what an authority means."""
    return next((words for limit, words in AUTHORITY if authority <= limit), BEYOND)
