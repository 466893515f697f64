"""Turn the bytes of a text file into valid Unicode, or refuse them as not being text."""

import codecs
import logging
import re
from dataclasses import dataclass

import charset_normalizer

from knowledge.ingestion.extract.charsets import rank_charsets
from knowledge.ingestion.extract.errors import RefusedFileError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ISO_2022 = ((b"\x1b$B", "iso2022_jp"), (b"\x1b$@", "iso2022_jp"), (b"\x1b$)C", "iso2022_kr"))
_SAMPLE_HIGH_BYTES = 20_000
_SAMPLE_BYTES = 200_000
_PLAUSIBLE = 0.45
_NOISE = 0.1
_EBCDIC_PLAIN_SHARE = 0.85
_NOT_TEXT = "This is not a text file: its bytes are no writing in any known encoding"
_CONTROLS = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HAS_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_CONTROLS = 4
_MAX_CONTROL_SHARE = 0.05
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """Text, the encoding it came in, and what could not be read as written."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode_text(content: bytes, *, declared: str = "") -> DecodedText:
    """Decode a whole text file; `declared` is what the file itself says and may be wrong.

    Raises RefusedFileError when the bytes are no text.
    """
    decoded = (
        _decode_marked(content)
        or _decode_wide(content)
        or _decode_stateful(content)
        or _decode_declared(content, declared)
        or _decode_exactly(content, "utf-8")
        or _decode_damaged_utf8(content)
        or _decode_ebcdic(content)
        or _decode_legacy(content)
    )
    if decoded is None or _is_binary(decoded.text):
        raise RefusedFileError(_NOT_TEXT)
    return decoded


def valid_unicode(text: str) -> str:
    """Join surrogate pairs that were escaped apart and replace lone ones with U+FFFD."""
    if not _SURROGATES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def codec_name(label: str) -> str:
    """Return Python's name for a declared charset, empty when there is none of that name."""
    try:
        codec = codecs.lookup(label.strip().strip("\"'"))
    except (LookupError, ValueError, UnicodeError):
        return ""
    # `rot13`, `base64` and their like are registered as codecs but decode no text.
    return codec.name if getattr(codec, "_is_text_encoding", True) else ""


def _decode_exactly(content: bytes, encoding: str) -> DecodedText | None:
    try:
        return DecodedText(text=valid_unicode(content.decode(encoding)), encoding=encoding)
    except (UnicodeError, ValueError):
        return None


def _decode_marked(content: bytes) -> DecodedText | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            decoded = _decode_exactly(content, encoding)
            if decoded:
                return decoded
            text = content.decode(encoding, "replace")
            warning = f"Damaged {encoding} text: unreadable bytes became U+FFFD"
            return DecodedText(text=text, encoding=encoding, warnings=(warning,))
    return None


def _decode_wide(content: bytes) -> DecodedText | None:
    """Find UTF-16 and UTF-32 without a mark by where their NUL bytes stand."""
    sample = content[:_SAMPLE_BYTES]
    if sample.count(0) < len(sample) // 5 or not sample:
        return None
    columns = [sample[start::4].count(0) / max(1, len(sample) / 4) for start in range(4)]
    full, sparse = 0.9, 0.3
    wide = [share > full for share in columns]
    if wide[1] and wide[2] and wide[3] and columns[0] < sparse:
        return _decode_exactly(content, "utf-32-le")
    if wide[0] and wide[1] and wide[2] and columns[3] < sparse:
        return _decode_exactly(content, "utf-32-be")
    even, odd = (columns[0] + columns[2]) / 2, (columns[1] + columns[3]) / 2
    if min(even, odd) > 0.1 or max(even, odd) < sparse:  # noqa: PLR2004 - nearly none
        return None
    whole = content[: len(content) // 2 * 2]
    return _decode_exactly(whole, "utf-16-le" if odd > even else "utf-16-be")


def _decode_stateful(content: bytes) -> DecodedText | None:
    for escape, encoding in _ISO_2022:
        if escape in content:
            return _decode_exactly(content, encoding)
    return None


def _decode_declared(content: bytes, declared: str) -> DecodedText | None:
    encoding = codec_name(declared) if declared else ""
    if not encoding or encoding == "ascii":
        return None
    if encoding.startswith(("utf-16", "utf-32")):
        # Such a file would have shown its NUL bytes or its mark.
        return None
    if encoding == "iso8859-1":
        encoding = "cp1252"
    if encoding != "utf-8" and not content.isascii() and _decode_exactly(content, "utf-8"):
        # Valid multi-byte UTF-8 is never an accident; the declaration is.
        return None
    return _decode_exactly(content, encoding)


class _Repairs:
    """Error handler that reads stray bytes in UTF-8 as Windows-1252 and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        stray = error.object[error.start : error.end]
        self.count += len(stray)
        return stray.decode("cp1252", "replace"), error.end


def _decode_damaged_utf8(content: bytes) -> DecodedText | None:
    """Accept UTF-8 with a few stray bytes, as left by joined or cut files."""
    intact = content.decode("utf-8", "ignore")
    sequences = sum(1 for letter in intact if letter > "\x7f")
    kept_bytes = len(intact.encode())
    stray = len(content) - kept_bytes
    if sequences < 3 or stray * 8 > sequences:  # noqa: PLR2004 - too few to tell from chance
        return None
    repairs = _Repairs()
    codecs.register_error("crmind-repair", repairs)
    text = content.decode("utf-8", "crmind-repair")
    warning = f"{repairs.count} bytes are not valid UTF-8 and were read as Windows-1252"
    return DecodedText(text=text, encoding="utf-8", warnings=(warning,))


def _decode_ebcdic(content: bytes) -> DecodedText | None:
    """Recognise EBCDIC by its blanks (0x40) and letters above 0x80."""
    sample = content[:_SAMPLE_BYTES]
    blanks = sample.count(0x40)
    if blanks < len(sample) / 20 or sample.count(0x20) > blanks / 4:
        return None
    text = content.decode("cp500").replace("\x85", "\n")
    sampled = text[:_SAMPLE_BYTES]
    plain = sum(
        letter.isascii() and (letter.isprintable() or letter.isspace()) for letter in sampled
    )
    if plain < len(sampled) * _EBCDIC_PLAIN_SHARE:
        return None
    return DecodedText(text=text, encoding="cp500")


def _decode_legacy(content: bytes) -> DecodedText | None:
    if _is_binary(content[:_SAMPLE_BYTES].decode("latin-1")):
        return None
    guesses = rank_charsets(_telling_lines(content))
    best = guesses[0].score if guesses else _NOISE
    if best < (_PLAUSIBLE if _HAS_CONTROL.search(content[:_SAMPLE_BYTES]) else _NOISE):
        return None
    for guess in guesses:
        if guess.score < _PLAUSIBLE:
            break
        decoded = _decode_exactly(content, guess.encoding)
        if decoded:
            return decoded
    return _decode_by_normalizer(content)


def _decode_by_normalizer(content: bytes) -> DecodedText | None:
    logging.getLogger("charset_normalizer").setLevel(logging.ERROR)
    best = charset_normalizer.from_bytes(content[:_SAMPLE_BYTES]).best()
    for encoding in (best.encoding if best else "", "cp1252"):
        decoded = _decode_exactly(content, encoding) if encoding else None
        if decoded:
            warning = f"The encoding was guessed as {encoding}: check accented letters"
            return DecodedText(text=decoded.text, encoding=encoding, warnings=(warning,))
    return None


def _telling_lines(content: bytes) -> bytes:
    """Collect lines with non-ASCII bytes from the whole file, up to a bounded amount."""
    kept = bytearray()
    high = 0
    for line in content.splitlines():
        if line.isascii():
            continue
        kept += line[:_SAMPLE_HIGH_BYTES] + b"\n"
        high += len(line)
        if high > _SAMPLE_HIGH_BYTES:
            break
    return bytes(kept)


def _is_binary(text: str) -> bool:
    sample = text[:_SAMPLE_BYTES]
    return len(_CONTROLS.findall(sample)) > max(_MAX_CONTROLS, len(sample) * _MAX_CONTROL_SHARE)
