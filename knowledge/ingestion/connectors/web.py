"""Finds the pages behind an address: the page itself, those of a sitemap, the entries of a feed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from knowledge.exceptions import ListingError
from knowledge.fetching.addresses import normalise_url
from knowledge.fetching.client import Fetcher
from knowledge.fetching.errors import AddressRefusedError, FetchError, FetchFailure
from knowledge.fetching.types import Fetched, Validators
from knowledge.ingestion.connectors.feeds import read_feed
from knowledge.ingestion.connectors.memory import ListingMark, PageMemory
from knowledge.ingestion.connectors.pages import FoundPage
from knowledge.ingestion.connectors.sitemaps import (
    INDEX,
    PAGES,
    ListedPage,
    NotASitemapError,
    Sitemap,
    read_sitemap,
    root_name,
    unpacked,
)

FEEDS = frozenset({"rss", "feed", "RDF"})
# What is named so holds a list; a page found there is some notice instead.
LISTING_SUFFIXES = (".xml", ".xml.gz", ".rss", ".atom", ".rdf")
MAX_INDEX_DEPTH = 3
MAX_SITEMAPS = 1_000


@dataclass(slots=True, kw_only=True)
class Listing:
    """The pages found at an address.

    `marks` are the new versions of the sitemaps and feeds that were read. `gaps` say why there may
    be more pages. What is not in a listing that is not exhaustive may still be there: a feed names
    only its latest entries.
    """

    pages: dict[str, FoundPage] = field(default_factory=dict)
    marks: list[ListingMark] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_exhaustive: bool = True
    is_full: bool = False


class PageFinder:
    """Lists the pages of addresses."""

    def __init__(
        self,
        fetcher: Fetcher,
        memory: PageMemory,
        *,
        max_pages: int,
        on_fetch: Callable[[], None] = lambda: None,
    ) -> None:
        self._fetcher = fetcher
        self._memory = memory
        self._max_pages = max_pages
        self._on_fetch = on_fetch
        self._unchanged: set[str] = set()

    def find(self, address: str) -> Listing:
        """Return the pages at an address.

        Raises ListingError where nothing can be told; AddressRefusedError for an address that may
        not be fetched.
        """
        url = normalise_url(address)
        page = self._memory.recall(url)
        try:
            fetched = self._fetch_listing(url, page.validators if page else None)
            content = unpacked(fetched.content)
        except FetchError as error:
            message = f"{url}: {error.message}"
            raise ListingError(message) from error
        kind = "" if fetched.is_unchanged else root_name(content)
        if kind in FEEDS:
            return self._entries(url, fetched, content)
        if kind in {INDEX, PAGES}:
            return self._pages_of_site(url, fetched, content)
        if not fetched.is_unchanged and url.endswith(LISTING_SUFFIXES):
            message = f"{url} holds neither a sitemap nor a feed, though it is named like one."
            raise ListingError(message)
        return Listing(pages={url: FoundPage(url=url, fetched=fetched)})

    def _fetch_listing(self, url: str, page: Validators | None = None) -> Fetched:
        """Fetch what may be a sitemap or feed; an unchanged one as it was kept.

        What is none is asked for by the validators of the page.
        """
        kept = self._memory.recall_listing(url)
        fetched = self._fetcher.fetch(url, known=kept.validators if kept else page)
        if kept is None or not fetched.is_unchanged:
            return fetched
        self._unchanged.add(url)
        return replace(fetched, content=kept.content, is_unchanged=False)

    def _mark(self, url: str, fetched: Fetched, listing: Listing) -> None:
        """Take note of a new version that the server can be asked about."""
        if url not in self._unchanged and fetched.validators != Validators():
            mark = ListingMark(url=url, validators=fetched.validators, content=fetched.content)
            listing.marks.append(mark)

    def _entries(self, url: str, fetched: Fetched, content: bytes) -> Listing:
        feed = read_feed(content, url=url)
        if feed is None:
            message = f"{url} begins like a feed, but cannot be read as one."
            raise ListingError(message)
        pages = {
            entry.external_id: FoundPage(url=entry.url, changed=entry.changed, entry=entry)
            for entry in feed.entries[: self._max_pages]
        }
        listing = Listing(pages=pages, is_exhaustive=False)
        self._mark(url, fetched, listing)
        return listing

    def _pages_of_site(self, url: str, fetched: Fetched, content: bytes) -> Listing:
        listing = Listing()
        try:
            sitemap = read_sitemap(content)
        except NotASitemapError as error:
            message = f"{url} is a damaged sitemap ({error})."
            raise ListingError(message) from error
        self._mark(url, fetched, listing)
        seen = {url}
        self._collect(sitemap, url, listing, seen, depth=1)
        if not listing.pages:
            reasons = " ".join(listing.gaps)
            message = f"{url} lists no pages. {reasons}".strip()
            raise ListingError(message)
        return listing

    def _collect(
        self, sitemap: Sitemap, url: str, listing: Listing, seen: set[str], *, depth: int
    ) -> None:
        for page in sitemap.pages:
            self._add(page, url, listing)
        for child in sitemap.sitemaps:
            if child in seen:
                continue
            seen.add(child)
            if depth >= MAX_INDEX_DEPTH or len(seen) > MAX_SITEMAPS:
                listing.gaps.append(f"{child} was left out: there are too many sitemaps.")
                continue
            for inner, inner_url in self._read_child(child, url, listing):
                self._collect(inner, inner_url, listing, seen, depth=depth + 1)

    def _read_child(
        self, child: str, parent: str, listing: Listing
    ) -> Iterator[tuple[Sitemap, str]]:
        """Yield a sitemap of an index; one that cannot be read is a gap."""
        self._on_fetch()
        try:
            url = normalise_url(child)
            if not _is_same_site(url, parent):
                listing.gaps.append(f"{url} was left out: it is on another site than {parent}.")
                return
            fetched = self._fetch_listing(url)
            sitemap = read_sitemap(unpacked(fetched.content))
            self._mark(url, fetched, listing)
            yield sitemap, url
        except FetchFailure as error:
            listing.gaps.append(f"{child}: {error.message}")
        except NotASitemapError as error:
            listing.gaps.append(f"{child} is a damaged sitemap ({error}).")

    def _add(self, page: ListedPage, sitemap: str, listing: Listing) -> None:
        try:
            url = normalise_url(page.url)
        except AddressRefusedError as error:
            listing.notes.append(error.message)
            return
        if not _is_same_site(url, sitemap):
            listing.notes.append(f"{url} was left out: it is on another site than its sitemap.")
        elif len(listing.pages) < self._max_pages:
            listing.pages.setdefault(url, FoundPage(url=url, changed=page.changed))
        elif url not in listing.pages and not listing.is_full:
            listing.is_full = True
            listing.gaps.append(
                f"There are more than {self._max_pages} pages; the rest was left out. An operator"
                " can raise FETCH_MAX_PAGES."
            )


def _is_same_site(url: str, other: str) -> bool:
    return _site(url) == _site(other)


def _site(url: str) -> str:
    return urlsplit(url).netloc.removeprefix("www.")
