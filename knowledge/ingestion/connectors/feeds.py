"""News feeds: RSS and Atom."""

import hashlib
import re
import time
from calendar import timegm
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import feedparser

# A shorter text is a teaser, and the page behind it is fetched.
FULL_TEXT_CHARACTERS = 1_200
# The library looks for an address in names, by an expression whose time grows by the square.
_ENDLESS_NAME = re.compile(
    rb"<(?:\w{1,40}:)?(?:author|contributor|creator|editor|email|managingeditor|name|owner|publisher"
    rb"|webmaster)\b[^<>]{0,1000}+>\s*+(?:<!\[CDATA\[)?+[^<>]{1000}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One entry; `html` is what the feed itself gives of its text."""

    external_id: str
    url: str = ""
    title: str = ""
    author: str = ""
    published_at: datetime | None = None
    changed: str = ""
    html: str = ""
    is_whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """The entries of a feed, which are the latest, not all."""

    language: str
    entries: tuple[FeedEntry, ...]


def read_feed(content: bytes, *, url: str) -> Feed | None:
    """Read a feed, None for what is none. Relative links start at `url`."""
    # Wide characters would hide a name from the expression; no feed is written so.
    if b"\x00" in content or _ENDLESS_NAME.search(content):
        return None
    # Given anything but a stream, the library would open files and fetch addresses itself. What the
    # entries hold is reduced to its text by the reader of web pages.
    parsed: Any = feedparser.parse(
        BytesIO(content), response_headers={"content-location": url}, sanitize_html=False
    )
    if not parsed.get("version"):
        return None
    entries = [_entry(entry) for entry in parsed.entries]
    return Feed(
        language=str(parsed.feed.get("language", "")),
        entries=tuple(entries),
    )


def _entry(entry: Any) -> FeedEntry:
    content = [str(part.get("value", "")) for part in entry.get("content", [])]
    summary = str(entry.get("summary", ""))
    longest = max([*content, summary], key=len)
    link = str(entry.get("link", "")).strip()
    title = str(entry.get("title", ""))
    # Asked for a date of change that is not there, the library would give another, and warn.
    updated = {key: entry[key] for key in ("updated", "updated_parsed") if key in entry}
    published = entry.get("published_parsed") or updated.get("updated_parsed")
    return FeedEntry(
        external_id=str(entry.get("id", "")).strip() or link or _derived_id(title, longest),
        url=link,
        title=title,
        author=str(entry.get("author", "")),
        published_at=_moment(published),
        changed=str(updated.get("updated", "") or entry.get("published", ""))[:100],
        html=longest,
        is_whole=bool(content) or len(longest) >= FULL_TEXT_CHARACTERS or not link,
    )


def _derived_id(title: str, html: str) -> str:
    digest = hashlib.sha256(f"{title}\n{html}".encode("utf-8", "replace")).hexdigest()
    return f"entry-{digest[:32]}"


def _moment(parsed: time.struct_time | None) -> datetime | None:
    try:
        return datetime.fromtimestamp(timegm(parsed), UTC) if parsed else None
    except (ValueError, OverflowError, OSError):
        return None
