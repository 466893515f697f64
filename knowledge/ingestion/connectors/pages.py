"""Reads pages of the web: fetched only if they changed, reduced to their main text."""

import mimetypes
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from knowledge.fetching.addresses import normalise_url
from knowledge.fetching.client import Fetcher
from knowledge.fetching.errors import (
    AddressRefusedError,
    FetchError,
    FetchFailure,
    HostBusyError,
    PageGoneError,
)
from knowledge.fetching.types import Fetched
from knowledge.ingestion.connectors.feeds import FeedEntry
from knowledge.ingestion.connectors.memory import PageMark, PageMemory
from knowledge.ingestion.connectors.reading import document_of, extraction_limits
from knowledge.ingestion.connectors.remarks import Remark
from knowledge.ingestion.extract import extract_file
from knowledge.ingestion.naming import fitting_id
from knowledge.ingestion.types import (
    Extraction,
    Incoming,
    ParsedDocument,
    UnchangedDocument,
    UnreadableDocument,
)

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
VAGUE_TYPES = frozenset({"", "application/octet-stream", "binary/octet-stream", "text/plain"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """A page to read; `fetched` is set where finding it meant fetching it."""

    url: str
    changed: str = ""
    entry: FeedEntry | None = None
    fetched: Fetched | None = None

    @property
    def label(self) -> str:
        return self.url or (self.entry.external_id if self.entry else "")

    @property
    def external_id(self) -> str:
        return self.entry.external_id if self.entry else self.url


class PageReader:
    """Reads pages and entries of feeds, and remembers which version each document was made of."""

    def __init__(self, fetcher: Fetcher, memory: PageMemory) -> None:
        self._fetcher = fetcher
        self._memory = memory
        self._folder = tempfile.TemporaryDirectory(prefix="crmind-")
        self.marks: dict[str, PageMark] = {}

    def close(self) -> None:
        """Remove what was kept on disk for reading."""
        self._folder.cleanup()

    def read(self, page: FoundPage) -> Iterator[Incoming | Remark]:
        """Yield the document of a page; nothing but a remark for one that is gone."""
        if page.entry and page.entry.is_whole:
            yield self._document_of_entry(page.entry)
            return
        known = self._memory.recall(page.url)
        if known and page.changed and known.listed_change == page.changed:
            yield UnchangedDocument(external_id=known.external_id)
            return
        try:
            fetched = page.fetched or self._fetcher.fetch(
                page.url, known=known.validators if known else None
            )
        except PageGoneError as error:
            yield Remark(f"{page.label}: {error.message}")
        except FetchFailure as error:
            yield self._failed(page, known, error)
        else:
            yield self._read_fetched(page, fetched, known)

    def _read_fetched(self, page: FoundPage, fetched: Fetched, known: PageMark | None) -> Incoming:
        if fetched.is_unchanged and known:
            self.marks[known.external_id] = replace(known, listed_change=page.changed)
            return UnchangedDocument(external_id=known.external_id)
        extraction = self._extract(fetched)
        canonical = _canonical(extraction.metadata.get("canonical_url", ""), fetched.url)
        own_id = fitting_id(page.entry.external_id if page.entry else canonical)
        document = document_of(own_id, extraction, is_trusted=False)
        if isinstance(document, UnreadableDocument):
            return replace(document, external_id=known.external_id if known else own_id)
        self.marks[own_id] = PageMark(
            url=page.url,
            external_id=own_id,
            validators=fetched.validators,
            listed_change=page.changed,
        )
        document = replace(document, url=canonical)
        return _with_entry(document, page.entry) if page.entry else document

    def _extract(self, fetched: Fetched) -> Extraction:
        is_html = fetched.media_type in HTML_TYPES
        path = Path(self._folder.name, f"page{_suffix(fetched)}")
        path.write_bytes(_as_unicode(fetched) if is_html else fetched.content)
        return extract_file(path, extraction_limits(), as_page=True)

    def _failed(
        self, page: FoundPage, known: PageMark | None, error: FetchError | AddressRefusedError
    ) -> Incoming:
        """Return what is left: a known page stays as it is, of a new entry there is the teaser."""
        external_id = known.external_id if known else page.external_id
        if known and isinstance(error, HostBusyError):
            return UnchangedDocument(external_id=external_id)
        has_teaser = page.entry and page.entry.html and not known
        if page.entry and has_teaser and not self._memory.has_document(external_id):
            document = self._document_of_entry(page.entry)
            if isinstance(document, ParsedDocument):
                warning = f"Only the text of the feed was taken: {error.message}"
                return replace(document, warnings=(*document.warnings, warning))
        return UnreadableDocument(
            external_id=fitting_id(external_id), reason=error.message, is_refused=True
        )

    def _document_of_entry(self, entry: FeedEntry) -> ParsedDocument | UnreadableDocument:
        path = Path(self._folder.name, "entry.html")
        path.write_text(f"<html><body>{entry.html}</body></html>", "utf-8-sig", "replace")
        extraction = extract_file(path, extraction_limits())
        document = document_of(fitting_id(entry.external_id), extraction, is_trusted=False)
        if isinstance(document, UnreadableDocument):
            return document
        return _with_entry(replace(document, url=_web_address(entry.url)), entry)


def _with_entry(document: ParsedDocument, entry: FeedEntry) -> ParsedDocument:
    author = {"author": entry.author} if entry.author else {}
    return replace(
        document,
        title=entry.title or document.title,
        published_at=entry.published_at or document.published_at,
        metadata={**document.metadata, **author},
    )


def _canonical(stated: str, url: str) -> str:
    """Return the address a page states for itself, if it is one of the same site."""
    try:
        canonical = normalise_url(stated)
    except AddressRefusedError:
        return url
    return canonical if _site(canonical) == _site(url) else url


def _site(url: str) -> str:
    return urlsplit(url).netloc.removeprefix("www.")


def _web_address(written: str) -> str:
    try:
        return normalise_url(written)
    except AddressRefusedError:
        return ""


def _suffix(fetched: Fetched) -> str:
    """Return the end of a file name that tells the format."""
    if fetched.media_type in HTML_TYPES:
        return ".html"
    named = PurePosixPath(urlsplit(fetched.url).path).suffix.lower()
    is_named = 1 < len(named) <= 6 and named[1:].isalnum() and named.isascii()  # noqa: PLR2004 # ".jsonl"
    if fetched.media_type in VAGUE_TYPES:
        return named if is_named else ".txt"
    return mimetypes.guess_extension(fetched.media_type) or (named if is_named else "")


def _as_unicode(fetched: Fetched) -> bytes:
    """Return a page in UTF-8 with its mark, if the server says how it is written.

    The server's word counts more than what the page says of itself, as in browsers.
    """
    if not fetched.charset:
        return fetched.content
    try:
        text = fetched.content.decode(fetched.charset)
    except (LookupError, UnicodeError, ValueError):
        return fetched.content
    return text.removeprefix("\ufeff").encode("utf-8-sig", "replace")
