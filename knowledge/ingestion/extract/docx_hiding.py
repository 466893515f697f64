"""Text of Word documents that no reader of the printed page sees."""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from knowledge.ingestion.extract.docx_styles import DocumentStyles
from knowledge.ingestion.extract.office import attribute, child_named

# In half points: up to two points, which is a line of dust.
_SMALLEST_SIZES = frozenset({"0", "1", "2", "3", "4"})
_FAINT_COLOURS = frozenset({"FFFFFF", "FEFEFE", "FDFDFD"})
_OFF = frozenset({"0", "false", "off", "none"})


@dataclass(slots=True)
class HiddenText:
    """Counts the characters that were left out as hidden, and those kept although hard to see."""

    hidden: int = 0
    faint: int = 0

    @property
    def warnings(self) -> Iterator[str]:
        if self.hidden:
            yield f"{self.hidden} hidden characters of the document were left out"
        if self.faint:
            yield f"{self.faint} characters in white or tiny print were kept"


def is_run_hidden(run: ET.Element, styles: DocumentStyles, *, paragraph_style: str) -> bool:
    """Tell whether a run is formatted as hidden, by itself or by its styles."""
    properties = child_named(run, "rPr")
    direct = child_named(properties, "vanish")
    if direct is not None:
        return attribute(direct, "val").lower() not in _OFF
    style = child_named(properties, "rStyle")
    run_style = attribute(style, "val") if style is not None else ""
    return styles.is_hidden(run_style) or styles.is_hidden(paragraph_style)


def is_run_faint(run: ET.Element) -> bool:
    """Tell whether a run is white on nothing, or too small to read."""
    properties = child_named(run, "rPr")
    size = child_named(properties, "sz")
    if size is not None and attribute(size, "val") in _SMALLEST_SIZES:
        return True
    colour = child_named(properties, "color")
    if colour is None or attribute(colour, "val").upper() not in _FAINT_COLOURS:
        return False
    return all(child_named(properties, name) is None for name in ("shd", "highlight"))
