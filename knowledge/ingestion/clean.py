"""Text as it is stored and shown: without characters that PostgreSQL or a reader cannot take."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from knowledge.exceptions import InvalidDocumentError

REPLACEMENT = "\ufffd"
MAX_METADATA_DEPTH = 20

_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# They reorder what is shown: what is read would not be what is searched.
_BIDI_CONTROL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Nobody sees them, a language model reads them. Joiners stay where a script or an emoji needs them,
# tags where they name the flag of a region.
_INVISIBLE = re.compile(
    "[\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff]"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+"
)
_NEEDLESS_JOINER = re.compile("(?<=[A-Za-z])[\u200c\u200d]+(?=[A-Za-z])")
_MANY_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")
_TWO_BLANK_LINES = "\n\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterCounts:
    """How many characters cleaning removed or replaced."""

    nul: int = 0
    control: int = 0
    surrogate: int = 0
    bidi: int = 0
    invisible: int = 0

    def __add__(self, other: "CharacterCounts") -> "CharacterCounts":
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return CharacterCounts(**sums)


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanedText:
    """Text fit for storage, with what was done to it."""

    text: str
    counts: CharacterCounts = CharacterCounts()

    @property
    def warnings(self) -> tuple[str, ...]:
        return describe_counts(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanedMetadata:
    """Metadata fit for a JSON column, with what was done to it."""

    metadata: dict[str, object]
    counts: CharacterCounts = CharacterCounts()

    @property
    def warnings(self) -> tuple[str, ...]:
        return describe_counts(self.counts)


def clean_text(text: str) -> CleanedText:
    """Normalise line ends and remove what cannot be stored; compatibility forms stay as written."""
    text = _SURROGATE_PAIR.sub(_joined_pair, text)
    text, surrogates = _LONE_SURROGATE.subn(REPLACEMENT, text)
    text = _LINE_END.sub("\n", text)
    nuls = text.count("\x00")
    text, controls = _CONTROL.subn("", text)
    text, bidi = _BIDI_CONTROL.subn("", text)
    shown = _NEEDLESS_JOINER.sub("", _INVISIBLE.sub("", text.lstrip("\ufeff")))
    invisible = len(text.lstrip("\ufeff")) - len(shown)
    text = _MANY_BLANK_LINES.sub(_TWO_BLANK_LINES, shown)
    counts = CharacterCounts(
        nul=nuls,
        control=controls - nuls,
        surrogate=surrogates,
        bidi=bidi,
        invisible=invisible,
    )
    return CleanedText(text=text, counts=counts)


def clean_metadata(metadata: Mapping[str, object]) -> CleanedMetadata:
    """Clean every key and every string, also in nested lists and objects.

    Raises InvalidDocumentError where they are nested deeper than MAX_METADATA_DEPTH.
    """
    cleaned, counts = _clean_mapping(metadata, depth=1)
    return CleanedMetadata(metadata=cleaned, counts=counts)


def describe_counts(counts: CharacterCounts) -> tuple[str, ...]:
    """Word the warnings of one document: add the counts of its text and metadata first."""
    worded = (
        (counts.nul, "NUL character", "removed"),
        (counts.control, "control character", "removed"),
        (counts.surrogate, "broken character", f"replaced by {REPLACEMENT}"),
        (counts.bidi, "bidirectional control character", "removed"),
        (counts.invisible, "invisible character", "removed"),
    )
    return tuple(
        f"{count} {noun}{'' if count == 1 else 's'} {outcome}"
        for count, noun, outcome in worded
        if count
    )


def _joined_pair(match: re.Match[str]) -> str:
    return match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _clean_value(value: object, *, depth: int) -> tuple[object, CharacterCounts]:
    if isinstance(value, str):
        cleaned = clean_text(value)
        return cleaned.text, cleaned.counts
    if isinstance(value, Mapping):
        return _clean_mapping(value, depth=depth + 1)
    if isinstance(value, list | tuple):
        _refuse_depth(depth + 1)
        pairs = [_clean_value(element, depth=depth + 1) for element in value]
        counts = sum((counts for _, counts in pairs), start=CharacterCounts())
        return [element for element, _ in pairs], counts
    return value, CharacterCounts()


def _clean_mapping(
    mapping: Mapping[str, object], *, depth: int
) -> tuple[dict[str, object], CharacterCounts]:
    _refuse_depth(depth)
    cleaned: dict[str, object] = {}
    total = CharacterCounts()
    for key, value in mapping.items():
        cleaned_key = clean_text(str(key))
        cleaned[cleaned_key.text], counts = _clean_value(value, depth=depth)
        total = total + cleaned_key.counts + counts
    return cleaned, total


def _refuse_depth(depth: int) -> None:
    if depth > MAX_METADATA_DEPTH:
        message = f"metadata: nested deeper than {MAX_METADATA_DEPTH} levels; flatten it"
        raise InvalidDocumentError(message, field="metadata")
