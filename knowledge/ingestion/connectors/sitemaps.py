"""Sitemaps: the pages of a site, and when each changed. No entity in them is ever expanded."""

from dataclasses import dataclass
from xml.parsers import expat

from knowledge.fetching.bodies import unpack

MAX_SITEMAP_BYTES = 64 * 1024 * 1024
GZIP = b"\x1f\x8b"
# The library for feeds searches what stands before the outermost element: the square of its length.
HEAD_BYTES = 8 * 1024
INDEX = "sitemapindex"
PAGES = "urlset"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPage:
    """A page of a sitemap; `changed` is what the sitemap says of its last change, as written."""

    url: str
    changed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """The pages of a sitemap, or of an index the sitemaps."""

    pages: tuple[ListedPage, ...] = ()
    sitemaps: tuple[str, ...] = ()


class NotASitemapError(Exception):
    """The document is no sitemap, or a damaged one."""


def unpacked(content: bytes) -> bytes:
    """Return a document that may be packed by gzip. Raises PageRefusedError beyond the bound."""
    return unpack([content], limit=MAX_SITEMAP_BYTES) if content.startswith(GZIP) else content


def root_name(content: bytes) -> str:
    """Return the name of the outermost element of an XML document, empty for anything else.

    It has to begin near the start, and no declarations of its own may stand before it.
    """
    reader = _Reader()
    try:
        reader.feed(content[:HEAD_BYTES], is_whole=False)
    except NotASitemapError:
        return reader.root
    return reader.root


def read_sitemap(content: bytes) -> Sitemap:
    """Read a sitemap or an index of sitemaps. Raises NotASitemapError."""
    reader = _Reader()
    reader.feed(content, is_whole=True)
    if reader.root not in {INDEX, PAGES}:
        raise NotASitemapError
    entries = [entry for entry in reader.entries if entry.url]
    if reader.root == INDEX:
        return Sitemap(sitemaps=tuple(entry.url for entry in entries))
    return Sitemap(pages=tuple(entries))


class _Reader:
    """Collects `loc` and `lastmod` of each entry."""

    def __init__(self) -> None:
        self.root = ""
        self.entries: list[ListedPage] = []
        self._path: list[str] = []
        self._texts: dict[str, list[str]] = {}
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._check_doctype

    def feed(self, content: bytes, *, is_whole: bool) -> None:
        try:
            self._parser.Parse(content.lstrip(), is_whole)
        except expat.ExpatError as error:
            raise NotASitemapError(str(error)) from error

    def _check_doctype(
        self,
        _name: str,
        _system: str | None,
        _public: str | None,
        has_subset: bool,  # noqa: FBT001 # expat gives it by position
    ) -> None:
        """Refuse entities, and attributes by default: both let a small file grow without bound."""
        if has_subset:
            message = "declarations are not read"
            raise NotASitemapError(message)

    def _start(self, name: str, _attributes: object) -> None:
        self._path.append(name.rpartition(" ")[2])
        self.root = self.root or self._path[0]
        if len(self._path) == 2:  # noqa: PLR2004 # an entry lies right below the root
            self._texts = {}

    def _text(self, text: str) -> None:
        if len(self._path) == 3:  # noqa: PLR2004 # a value lies right below its entry
            self._texts.setdefault(self._path[-1], []).append(text)

    def _end(self, _name: str) -> None:
        self._path.pop()
        if len(self._path) == 1:
            values = {name: "".join(texts).strip() for name, texts in self._texts.items()}
            page = ListedPage(url=values.get("loc", ""), changed=values.get("lastmod", "")[:100])
            self.entries.append(page)
