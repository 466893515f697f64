"""Whether the style of an element hides its text from the readers of a page."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Declarations = Mapping[str, str]

WHITE = (255, 255, 255)
# Colours closer than this in every channel cannot be told apart at a glance.
_SAME_COLOUR = 32
_SMALLEST_FONT = {"px": 1.0, "pt": 1.0, "em": 0.1, "rem": 0.1, "%": 5.0, "": 0.0}
_FAR_AWAY = 500.0
_FAR_INDENT = 99.0
_NOTHING = 1.0
_FAINTEST = 0.05
_NAMED_COLOURS = {
    "white": WHITE,
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245),
    "black": (0, 0, 0),
}
_LENGTH = re.compile(r"([-+]?\d{0,9}(?:\.\d{1,9})?)(px|pt|em|rem|%)?")
_NUMBERS = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_SIMPLE_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]{0,20})?([.#][\w-]{1,80})", re.IGNORECASE)

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """What text stands on: its colour, None when a picture or a style sheet decides it."""

    colour: Colour | None = WHITE


def read_declarations(style: str) -> dict[str, str]:
    """Return the properties of a `style` attribute in lower case."""
    pairs = (part.partition(":") for part in style.lower().split(";"))
    return {
        name.strip(): value.replace("!important", "").strip() for name, _, value in pairs if value
    }


def hides_text(declarations: Declarations) -> bool:
    """Tell whether an element of this style shows nothing, whatever it stands on."""
    return (
        declarations.get("display") == "none"
        or declarations.get("visibility") in {"hidden", "collapse"}
        or _is_faint(declarations.get("opacity", ""))
        or _is_tiny(declarations.get("font-size", ""))
        or _is_elsewhere(declarations)
        or _is_clipped(declarations)
    )


def surface_of(declarations: Declarations, below: Surface) -> Surface:
    """Return what text in an element of this style stands on; `below` is what itself stands on."""
    stated = declarations.get("background-color") or declarations.get("background")
    if "background-image" in declarations or (stated and "url(" in stated):
        return Surface(colour=None)
    if not stated or stated in {"none", "inherit", "transparent"}:
        return below
    return Surface(colour=_colour(stated))


def blends_in(declarations: Declarations, surface: Surface) -> bool:
    """Tell whether text of this style has the colour of what it stands on."""
    stated = declarations.get("color", "")
    if stated == "transparent" or _is_see_through(stated):
        return True
    colour = _colour(stated)
    if colour is None or surface.colour is None:
        return False
    return all(
        abs(one - other) < _SAME_COLOUR for one, other in zip(colour, surface.colour, strict=True)
    )


def hiding_selectors(sheet: str) -> set[str]:
    """Return the classes and ids, as `.name` and `#name`, whose text a style sheet hides.

    Only selectors of one element are read, and no rule that counts for print or small screens only.
    """
    hiding = set()
    for selectors, style in _rules(_without_comments(sheet)):
        if hides_text(read_declarations(style)):
            for selector in selectors.split(","):
                match = _SIMPLE_SELECTOR.fullmatch(selector.strip())
                if match:
                    hiding.add(match[1])
    return hiding


def _without_comments(sheet: str) -> str:
    before, *commented = sheet.split("/*")
    return " ".join([before, *(part.partition("*/")[2] for part in commented)])


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield (selectors, declarations) of the rules that stand in no block of another."""
    depth, start, selectors = 0, 0, ""
    for place, sign in enumerate(sheet):
        if sign == "{":
            if depth == 0:
                selectors, start = sheet[start:place].rpartition(";")[2].strip(), place + 1
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
            if depth == 0:
                if not selectors.startswith("@"):
                    yield selectors, sheet[start:place]
                start = place + 1


def _is_faint(opacity: str) -> bool:
    number, unit = _length(opacity)
    return number is not None and number / (100 if unit == "%" else 1) < _FAINTEST


def _is_tiny(size: str) -> bool:
    number, unit = _length(size)
    return number is not None and number <= _SMALLEST_FONT[unit]


def _is_elsewhere(declarations: Declarations) -> bool:
    indent, _ = _length(declarations.get("text-indent", ""))
    if indent is not None and indent <= -_FAR_INDENT:
        return True
    if declarations.get("position") not in {"absolute", "fixed"}:
        return False
    offsets = (
        _length(declarations.get(side, ""))[0] for side in ("left", "right", "top", "bottom")
    )
    return any(offset is not None and offset <= -_FAR_AWAY for offset in offsets)


def _is_clipped(declarations: Declarations) -> bool:
    clip = declarations.get("clip", "")
    if clip.startswith("rect(") and all(float(n) <= _NOTHING for n in _NUMBERS.findall(clip)):
        return "auto" not in clip
    if declarations.get("clip-path") in {"inset(50%)", "inset(100%)", "circle(0)"}:
        return True
    if declarations.get("transform") == "scale(0)":
        return True
    sizes = (_length(declarations.get(side, ""))[0] for side in ("width", "height", "max-height"))
    return declarations.get("overflow") == "hidden" and any(
        size is not None and size <= _NOTHING for size in sizes
    )


def _length(value: str) -> tuple[float | None, str]:
    match = _LENGTH.fullmatch(value.strip())
    if match is None or not any(map(str.isdecimal, match[1])):
        return None, ""
    return float(match[1]), match[2] or ""


def _is_see_through(colour: str) -> bool:
    numbers = _NUMBERS.findall(colour)
    has_alpha = colour.startswith(("rgba(", "hsla(")) or "/" in colour
    return has_alpha and bool(numbers) and float(numbers[-1]) < _FAINTEST


def _colour(value: str) -> Colour | None:
    word = value.split(" ", 1)[0] if not value.startswith("rgb") else value
    if word in _NAMED_COLOURS:
        return _NAMED_COLOURS[word]
    if word.startswith("#"):
        return _hexadecimal(word[1:])
    if word.startswith("rgb"):
        red_green_blue = [int(float(number)) for number in _NUMBERS.findall(word)[:3]]
        if len(red_green_blue) == len(WHITE):
            return red_green_blue[0], red_green_blue[1], red_green_blue[2]
    return None


def _hexadecimal(digits: str) -> Colour | None:
    if len(digits) in {3, 4}:
        digits = "".join(digit * 2 for digit in digits[:3])
    try:
        red, green, blue = bytes.fromhex(digits[:6])
    except ValueError:
        return None
    return red, green, blue
