"""Names of files as the ids of documents: storable, shown as they are, and short enough. Pure."""

import hashlib
import os
import re

MAX_EXTERNAL_ID_LENGTH = 1000
DIGEST_LENGTH = 32

# What nobody sees, or what turns around how the rest is shown. Joiners stay where scripts and
# emoji need them.
_UNSHOWN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f]|(?<=[A-Za-z])[\u200c\u200d]+(?=[A-Za-z])"
)


def shown_name(name: str) -> str:
    """Return a file name as text: bytes of another encoding and what is not seen are escaped."""
    readable = os.fsencode(name).decode("utf-8", "backslashreplace")
    return _UNSHOWN.sub(lambda found: found[0].encode("unicode_escape").decode(), readable)


def fitting_id(written: str) -> str:
    """Return an external id that is not too long; a longer one is told from others by a hash."""
    if len(written) <= MAX_EXTERNAL_ID_LENGTH:
        return written
    digest = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
    return f"{written[: MAX_EXTERNAL_ID_LENGTH - DIGEST_LENGTH - 1]}-{digest}"
