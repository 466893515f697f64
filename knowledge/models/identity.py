"""Ids that sort by the time they were made."""

import secrets
import time
import uuid


def time_ordered_id() -> uuid.UUID:
    """Return a UUID of version 7 (RFC 9562): later ones sort after earlier ones.

    So pages by id alone are newest first, and neither repeat nor skip rows of one moment.
    """
    bits = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    bits = bits & ~(0xF << 76) | 7 << 76
    return uuid.UUID(int=bits & ~(0x3 << 62) | 2 << 62)
