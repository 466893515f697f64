"""Heading levels and list numbers of Word documents, resolved from styles and numbering."""

import re
from collections import defaultdict
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from knowledge.ingestion.extract.office import attribute, local_name

_HEADING_NAME = re.compile(r"heading (\d)", re.IGNORECASE)
_MAX_HEADING = 6
_MAX_STYLE_CHAIN = 20
_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
          (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    name: str = ""
    parent: str = ""
    outline_level: int | None = None
    list_id: str = ""
    list_level: int = 0
    is_hidden: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListLevel:
    form: str = "decimal"
    pattern: str = ""
    start: int = 1


class DocumentStyles:
    """Looks up what a paragraph style means."""

    def __init__(
        self, styles: dict[str, _Style], lists: dict[str, tuple[str, dict[int, _ListLevel]]]
    ) -> None:
        self._styles = styles
        self.lists = lists

    @classmethod
    def load(cls, styles: ET.Element | None, numbering: ET.Element | None) -> "DocumentStyles":
        """Read the parts styles.xml and numbering.xml, either of which may be absent."""
        return cls(_read_styles(styles), _read_lists(numbering))

    def heading_level(self, style_id: str, direct: ET.Element | None) -> int:
        """Return 1..6 for a heading, 0 for body text."""
        if direct is not None:
            return _heading_from_outline(attribute(direct, "val"))
        for style in self._chain(style_id):
            if style.name.lower() == "title":
                return 1
            match = _HEADING_NAME.fullmatch(style.name)
            if match:
                return min(int(match[1]), _MAX_HEADING)
            if style.outline_level is not None:
                return _heading_from_outline(str(style.outline_level))
        return 0

    def list_of(self, style_id: str) -> tuple[str, int]:
        """Return list id and level that a style brings along; the id is empty without one."""
        for style in self._chain(style_id):
            if style.list_id:
                return style.list_id, style.list_level
        return "", 0

    def is_hidden(self, style_id: str) -> bool:
        """Tell whether text of a style is formatted as hidden."""
        stated = (style.is_hidden for style in self._chain(style_id))
        return next((hidden for hidden in stated if hidden is not None), False)

    def _chain(self, style_id: str) -> list[_Style]:
        chain: list[_Style] = []
        while style_id in self._styles and len(chain) < _MAX_STYLE_CHAIN:
            chain.append(self._styles[style_id])
            style_id = self._styles[style_id].parent
        return chain


class ListCounter:
    """Numbers list paragraphs the way Word shows them, such as `4.2.` in a contract."""

    def __init__(self, styles: DocumentStyles) -> None:
        self._styles = styles
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)

    def label(self, style_id: str, numbering: ET.Element | None) -> str:
        """Return the mark before the paragraph, with a space after it; empty outside of lists."""
        list_id, level = self._styles.list_of(style_id)
        if numbering is not None:
            stated = {local_name(child): attribute(child, "val") for child in numbering}
            list_id = stated.get("numId", list_id)
            level = int(stated["ilvl"]) if stated.get("ilvl", "").isdecimal() else level
        if not list_id or list_id == "0" or list_id not in self._styles.lists:
            return ""
        shared_id, levels = self._styles.lists[list_id]
        form = levels.get(level, _ListLevel())
        if form.form == "none":
            return ""
        if form.form == "bullet":
            return "  " * level + "- "
        counts = self._advance(shared_id, level, levels)
        return self._format(form.pattern or f"%{level + 1}.", counts, levels) + " "

    def _advance(self, shared_id: str, level: int, levels: dict[int, _ListLevel]) -> dict[int, int]:
        counts = self._counts[shared_id]
        start = levels.get(level, _ListLevel()).start
        counts[level] = counts[level] + 1 if level in counts else start
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]
        return counts

    def _format(self, pattern: str, counts: dict[int, int], levels: dict[int, _ListLevel]) -> str:
        def number(match: re.Match[str]) -> str:
            level = int(match[1]) - 1
            form = levels.get(level, _ListLevel())
            return _format_number(counts.get(level, form.start), form.form)

        return _PLACEHOLDER.sub(number, pattern)


def _heading_from_outline(value: str) -> int:
    level = int(value) + 1 if value.isdecimal() else 0
    return level if level <= _MAX_HEADING else 0


def _format_number(value: int, form: str) -> str:
    if form in {"lowerLetter", "upperLetter"} and value > 0:
        letter = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in {"lowerRoman", "upperRoman"} and 0 < value < 4000:  # noqa: PLR2004 - end of Roman
        roman = ""
        for size, letters in _ROMAN:
            count, value = divmod(value, size)
            roman += letters * count
        return roman.upper() if form == "upperRoman" else roman
    return str(value)


def _read_styles(root: ET.Element | None) -> dict[str, _Style]:
    styles: dict[str, _Style] = {}
    for element in root if root is not None else ():
        if local_name(element) != "style":
            continue
        found = {local_name(child): attribute(child, "val") for child in element.iter()}
        outline = found.get("outlineLvl", "")
        level = found.get("ilvl", "")
        styles[attribute(element, "styleId")] = _Style(
            name=found.get("name", ""),
            parent=found.get("basedOn", ""),
            outline_level=int(outline) if outline.isdecimal() else None,
            list_id=found.get("numId", ""),
            list_level=int(level) if level.isdecimal() else 0,
            is_hidden=found["vanish"] not in {"0", "false"} if "vanish" in found else None,
        )
    return styles


def _read_lists(root: ET.Element | None) -> dict[str, tuple[str, dict[int, _ListLevel]]]:
    """Map each list id to the definition it shares counters with, and that definition's levels."""
    if root is None:
        return {}
    shared: dict[str, dict[int, _ListLevel]] = {}
    lists: dict[str, tuple[str, dict[int, _ListLevel]]] = {}
    for element in root:
        if local_name(element) == "abstractNum":
            shared[attribute(element, "abstractNumId")] = _read_levels(element)
        elif local_name(element) == "num":
            target = next(
                (child for child in element if local_name(child) == "abstractNumId"), None
            )
            shared_id = attribute(target, "val") if target is not None else ""
            restarts = any(local_name(child) == "startOverride" for child in element.iter())
            own_id = f"{shared_id}/{attribute(element, 'numId')}" if restarts else shared_id
            levels = {
                **shared.get(shared_id, {}),
                **_read_overrides(element, shared.get(shared_id, {})),
            }
            lists[attribute(element, "numId")] = (own_id, levels)
    return lists


def _read_levels(element: ET.Element) -> dict[int, _ListLevel]:
    levels: dict[int, _ListLevel] = {}
    for level in element:
        if local_name(level) != "lvl":
            continue
        found = {local_name(child): attribute(child, "val") for child in level}
        number = attribute(level, "ilvl")
        levels[int(number) if number.isdecimal() else 0] = _ListLevel(
            form=found.get("numFmt", "decimal"),
            pattern=found.get("lvlText", ""),
            start=int(found["start"]) if found.get("start", "").isdecimal() else 1,
        )
    return levels


def _read_overrides(element: ET.Element, levels: dict[int, _ListLevel]) -> dict[int, _ListLevel]:
    overrides: dict[int, _ListLevel] = {}
    for override in element:
        number = attribute(override, "ilvl")
        if local_name(override) != "lvlOverride" or not number.isdecimal():
            continue
        overrides.update(_read_levels(override))
        start = next((child for child in override if local_name(child) == "startOverride"), None)
        value = attribute(start, "val") if start is not None else ""
        if value.isdecimal():
            base = overrides.get(int(number)) or levels.get(int(number), _ListLevel())
            overrides[int(number)] = _ListLevel(
                form=base.form, pattern=base.pattern, start=int(value)
            )
    return overrides
