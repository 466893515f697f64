"""HTML: what a visitor sees, as Markdown, and what the page says of itself."""

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

from knowledge.ingestion.extract.engine import read_with_engine
from knowledge.ingestion.extract.hiding import (
    Surface,
    blends_in,
    hides_text,
    hiding_selectors,
    read_declarations,
    surface_of,
)
from knowledge.ingestion.extract.reading import Reading

_DROPPED = {"script", "style", "template", "noscript", "svg", "iframe", "object", "canvas"}
# Browsers end a script at any such tag, the parser only at a bare one.
_RAW_TEXT_END = re.compile(r"</(script|style)\b[^<>]*>", re.IGNORECASE)
_VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
    "source", "track", "wbr",
}  # fmt: skip
# Elements that end by themselves when one of the same family starts or their parent ends.
_SELF_ENDING = {"p", "li", "dt", "dd", "tr", "td", "th", "option", "thead", "tbody"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "div", "dl", "fieldset", "footer", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "section",
    "table", "ul",
}  # fmt: skip
_SCREENS = {"", "all", "screen"}
_TITLE_KEYS = ("og:title", "dc.title", "twitter:title")
_AUTHOR_KEYS = ("author", "article:author", "dc.creator")
_DATE_KEYS = (
    "article:published_time", "date", "dc.date", "dcterms.created", "pubdate", "datepublished",
    "publishdate",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleMarkup:
    """The part of a page that readers see, and what it says of itself."""

    markup: str
    metadata: Mapping[str, str]
    warnings: tuple[str, ...]


def read_html(text: str, *, encoding: str = "") -> Reading:
    """Convert the visible part of a page to Markdown."""
    visible = keep_visible(text)
    reading = read_with_engine(visible.markup.encode(), "text/html")
    return Reading(
        text=reading.text,
        encoding=encoding,
        metadata=visible.metadata,
        warnings=visible.warnings,
        if_blank="The page shows no text",
    )


def keep_visible(text: str) -> VisibleMarkup:
    """Return a page without its head, scripts and hidden elements."""
    page = _VisiblePage()
    page.feed(_closed(_RAW_TEXT_END.sub(r"</\1>", text)))
    page.close()
    return VisibleMarkup(markup=page.markup, metadata=page.metadata, warnings=tuple(page.warnings))


def _closed(text: str) -> str:
    """End what the page leaves open, or the parser would search from each mark to the very end."""
    comment = text.find("<!--", text.rfind("-->") + 1)
    if comment >= 0:
        text = text[:comment]
    end = text.rfind(">") + 1
    return text[:end] + text[end:].replace("<", "&lt;")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Element:
    """An element that is open: what its text stands on, and whether a style sheet hides it."""

    tag: str = ""
    surface: Surface = field(default_factory=Surface)
    is_doubtful: bool = False


class _OpenElements:
    """The elements around the place that is read, as far as the page closes them."""

    def __init__(self) -> None:
        self._open: list[_Element] = []
        self._count: Counter[str] = Counter()

    @property
    def innermost(self) -> _Element:
        return self._open[-1] if self._open else _Element()

    def start(self, element: _Element) -> None:
        if element.tag in _SELF_ENDING and self.innermost.tag == element.tag:
            self.end(element.tag)
        self._open.append(element)
        self._count[element.tag] += 1

    def end(self, tag: str) -> None:
        while self._count[tag]:
            ended = self._open.pop().tag
            self._count[ended] -= 1
            if ended == tag:
                return


class _VisiblePage(HTMLParser):
    """Rebuilds a page without its head, scripts and hidden elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self._hidden_characters = 0
        self._doubtful_characters = 0
        self._kept: list[str] = []
        self._hidden: list[str] = []
        self._around = _OpenElements()
        self._hiding_selectors: set[str] = set()
        self._is_sheet_for_screens = False
        self._title: list[str] = []
        self._in_title = False
        self._language = ""
        self._meta: dict[str, str] = {}

    @property
    def markup(self) -> str:
        return "".join(self._kept)

    @property
    def warnings(self) -> Iterator[str]:
        if self._hidden_characters:
            yield f"{self._hidden_characters} hidden characters of the page were left out"
        if self._doubtful_characters:
            yield f"{self._doubtful_characters} characters that its style sheet hides were kept"

    @property
    def metadata(self) -> dict[str, str]:
        described = {
            "title": " ".join("".join(self._title).split()) or self._first(_TITLE_KEYS),
            "author": self._first(_AUTHOR_KEYS),
            "published_at": self._first(_DATE_KEYS),
            "language": self._language,
        }
        return {key: value for key, value in described.items() if value}

    def _first(self, keys: tuple[str, ...]) -> str:
        return next((self._meta[key] for key in keys if self._meta.get(key)), "")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        self._take_metadata(tag, attributes)
        self._end_implied(tag)
        if tag in {"meta", "link", "base", "title", "head", "html"}:
            return
        if tag in _VOID:
            self._keep(self.get_starttag_text() or "")
        elif self._hidden or tag in _DROPPED or self._hides(tag, attributes):
            self._hidden.append(tag)
        else:
            self._keep(self.get_starttag_text() or "")

    def _take_metadata(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "meta":
            key = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
            if key:
                self._meta.setdefault(key.lower(), attributes.get("content", "").strip())
        if tag == "style":
            self._is_sheet_for_screens = attributes.get("media", "all").lower() in _SCREENS
        if tag == "html":
            self._language = attributes.get("lang", "")
        if tag == "title" and not self._title:
            self._in_title = True

    def _hides(self, tag: str, attributes: dict[str, str]) -> bool:
        """Tell whether an element hides its text; one that does not is open from here on."""
        declarations = _style_of(attributes)
        around = self._around.innermost
        names = {f".{name}" for name in attributes.get("class", "").split()}
        names.add(f"#{attributes.get('id', '')}")
        # A class may give a colour that only the style sheet knows.
        below = Surface(colour=None) if len(names) > 1 or "id" in attributes else around.surface
        surface = surface_of(declarations, below)
        if "hidden" in attributes or hides_text(declarations) or blends_in(declarations, surface):
            return True
        is_doubtful = around.is_doubtful or not names.isdisjoint(self._hiding_selectors)
        self._around.start(_Element(tag=tag, surface=surface, is_doubtful=is_doubtful))
        return False

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.handle_starttag(tag, attrs)
        elif tag not in _DROPPED:
            # HTML ignores the slash on elements that may have content.
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in {"head", "html", "title"}:
            return
        if not self._hidden:
            self._around.end(tag)
            self._keep(f"</{tag}>")
        elif tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif all(open_tag in _SELF_ENDING for open_tag in self._hidden):
            self._hidden.clear()
            self._around.end(tag)
            self._keep(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._title.append(data)
        elif not self._hidden:
            self._doubtful_characters += self._around.innermost.is_doubtful * len(data.strip())
            self._keep(data)
        elif self._hidden[-1] == "style":
            self._hiding_selectors |= (
                hiding_selectors(data) if self._is_sheet_for_screens else set()
            )
        elif not _DROPPED.intersection(self._hidden):
            self._hidden_characters += len(data.strip())

    def handle_entityref(self, name: str) -> None:
        self._take_reference(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._take_reference(f"&#{name};")

    def _take_reference(self, reference: str) -> None:
        # In kept markup a reference must stay one, or `&lt;` would become a tag.
        self.handle_data(html.unescape(reference) if self._in_title else reference)

    def _keep(self, markup: str) -> None:
        if not self._hidden:
            self._kept.append(markup)

    def _end_implied(self, tag: str) -> None:
        if not self._hidden or self._hidden[0] not in _SELF_ENDING or len(self._hidden) > 1:
            return
        outer = self._hidden[0]
        if tag == outer or (outer == "p" and tag in _BLOCKS):
            self._hidden.clear()


def _style_of(attributes: dict[str, str]) -> dict[str, str]:
    """Return what the element says of its looks, in the old attributes too."""
    old = {"color": attributes.get("color", ""), "background": attributes.get("bgcolor", "")}
    stated = {name: value.strip().lower() for name, value in old.items() if value}
    return {**stated, **read_declarations(attributes.get("style", ""))}
