"""HTML: what a visitor sees, as Markdown, and what the page says of itself."""

import html
import re
from html.parser import HTMLParser

from knowledge.ingestion.extract.engine import read_with_engine
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
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?(?![\d.])"
    r"|font-size\s*:\s*0(?:\.0*)?(?:px|pt|em|rem|%)?(?![\d.])|text-indent\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_MATCHING_COLOUR = re.compile(r"(?<![-\w])color\s*:\s*(?:white|#fff(?:fff)?)\b", re.IGNORECASE)
_TITLE_KEYS = ("og:title", "dc.title", "twitter:title")
_AUTHOR_KEYS = ("author", "article:author", "dc.creator")
_DATE_KEYS = (
    "article:published_time", "date", "dc.date", "dcterms.created", "pubdate", "datepublished",
    "publishdate",
)  # fmt: skip


def read_html(text: str, *, encoding: str = "") -> Reading:
    """Convert the visible part of a page to Markdown."""
    page = _VisiblePage()
    page.feed(_closed(_RAW_TEXT_END.sub(r"</\1>", text)))
    page.close()
    reading = read_with_engine(page.markup.encode(), "text/html")
    warnings: tuple[str, ...] = ()
    if page.hidden_characters:
        warnings = (f"{page.hidden_characters} hidden characters of the page were left out",)
    return Reading(
        text=reading.text,
        encoding=encoding,
        metadata=page.metadata,
        warnings=warnings,
        if_blank="The page shows no text",
    )


def _closed(text: str) -> str:
    """End what the page leaves open, or the parser would search from each mark to the very end."""
    comment = text.find("<!--", text.rfind("-->") + 1)
    if comment >= 0:
        text = text[:comment]
    end = text.rfind(">") + 1
    return text[:end] + text[end:].replace("<", "&lt;")


class _VisiblePage(HTMLParser):
    """Rebuilds a page without its head, scripts and hidden elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.hidden_characters = 0
        self._kept: list[str] = []
        self._hidden: list[str] = []
        self._title: list[str] = []
        self._in_title = False
        self._language = ""
        self._meta: dict[str, str] = {}

    @property
    def markup(self) -> str:
        return "".join(self._kept)

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
        if tag == "meta":
            key = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
            if key:
                self._meta.setdefault(key.lower(), attributes.get("content", "").strip())
        if tag == "html":
            self._language = attributes.get("lang", "")
        if tag == "title" and not self._title:
            self._in_title = True
        self._end_implied(tag)
        if tag in {"meta", "link", "base", "title", "head", "html"}:
            return
        if tag in _VOID:
            self._keep(self.get_starttag_text() or "")
        elif self._hidden or tag in _DROPPED or _is_hidden(attributes):
            self._hidden.append(tag)
        else:
            self._keep(self.get_starttag_text() or "")

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
            self._keep(f"</{tag}>")
        elif tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif all(open_tag in _SELF_ENDING for open_tag in self._hidden):
            self._hidden.clear()
            self._keep(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._title.append(data)
        elif not self._hidden:
            self._keep(data)
        elif not _DROPPED.intersection(self._hidden):
            self.hidden_characters += len(data.strip())

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


def _is_hidden(attributes: dict[str, str]) -> bool:
    style = attributes.get("style", "")
    return (
        "hidden" in attributes
        or bool(_HIDING_STYLE.search(style))
        or bool(_MATCHING_COLOUR.search(style) and "background" not in style.lower())
    )
