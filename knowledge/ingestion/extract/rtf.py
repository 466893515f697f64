"""RTF: bytes of every code page rewritten as Unicode escapes, which the engine cannot misread."""

import re
from dataclasses import dataclass, replace

from knowledge.ingestion.extract.decode import valid_unicode
from knowledge.ingestion.extract.engine import read_with_engine
from knowledge.ingestion.extract.reading import Reading

_TOKEN = re.compile(rb"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\[^a-z']|[{}]|[^\\{}]+")
_ESCAPED = re.compile(r"\\u(-?\d{1,5})(?:\?| )?")
# What the engine leaves of a row that no paragraph follows.
_ROW_MARK = re.compile(r"^\[TABLE_ROW\]\n?", re.MULTILINE)
_FONT_CHARSETS = {
    128: "cp932", 129: "cp949", 134: "cp936", 136: "cp950", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 77: "mac_roman", 0: "cp1252",
}  # fmt: skip
_DOUBLE_BYTE = {"cp932", "cp936", "cp949", "cp950"}
_LEAD_BYTES = range(0x81, 0xFD)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Formatting that a closing brace restores."""

    encoding: str
    fallback_length: int = 1
    in_font_table: bool = False


def read_rtf(content: bytes) -> Reading:
    """Read an RTF document, whatever code pages its fonts use."""
    rewriter = _CodePageRewriter()
    reading = read_with_engine(rewriter.rewrite(content), "application/rtf")
    return Reading(
        text=_ROW_MARK.sub("", reading.text.replace("\ufeff", "")),
        encoding=rewriter.default_encoding,
        metadata={key: _unescape(value) for key, value in reading.metadata.items()},
    )


def _unescape(value: str) -> str:
    """Resolve escapes, which the engine leaves in what the document says of itself."""
    resolved = _ESCAPED.sub(lambda match: chr(int(match[1]) % 0x10000), value)
    return valid_unicode(resolved)


class _CodePageRewriter:
    def __init__(self) -> None:
        self.default_encoding = "cp1252"
        self._fonts: dict[int, str] = {}
        self._defined_font = 0
        self._group = _Group(encoding="cp1252")
        self._outer: list[_Group] = []
        self._output = bytearray()
        self._pending = bytearray()
        self._fallback_left = 0

    def rewrite(self, content: bytes) -> bytes:
        """Replace each run of escaped bytes by escapes that name Unicode characters."""
        for match in _TOKEN.finditer(content):
            word, number, code = match[1], match[2], match[3]
            if code is not None:
                self._take_byte(match[0], int(code, 16))
            elif word is not None:
                self._flush()
                self._take_word(word.decode(), int(number) if number else None)
                self._output += match[0]
            else:
                self._take_other(match[0])
        self._flush()
        return bytes(self._output)

    def _take_byte(self, token: bytes, value: int) -> None:
        if self._fallback_left:
            self._fallback_left -= 1
            self._output += token
        else:
            self._pending.append(value)

    def _take_other(self, token: bytes) -> None:
        if token not in {b"{", b"}"} and token[:1] != b"\\":
            token = self._take_trail_byte(token)
            self._flush()
            self._fallback_left = max(0, self._fallback_left - len(token.strip(b"\r\n")))
        else:
            self._flush()
        if token == b"{":
            self._outer.append(self._group)
        elif token == b"}" and self._outer:
            self._group = self._outer.pop()
            self._fallback_left = 0
        self._output += token

    def _take_trail_byte(self, plain: bytes) -> bytes:
        """Join an unescaped second byte to the escaped first one, as Japanese RTF writes it."""
        if not self._ends_in_lead_byte() or plain[:1] in b"\r\n":
            return plain
        self._pending += plain[:1]
        return plain[1:]

    def _ends_in_lead_byte(self) -> bool:
        if self._group.encoding not in _DOUBLE_BYTE:
            return False
        place = 0
        while place < len(self._pending):
            is_lead = self._pending[place] in _LEAD_BYTES and not (
                self._group.encoding == "cp932" and 0xA0 <= self._pending[place] <= 0xDF  # noqa: PLR2004 - kana
            )
            place += 2 if is_lead else 1
        return place > len(self._pending)

    def _take_word(self, word: str, number: int | None) -> None:
        if word == "ansicpg" and number:
            self.default_encoding = f"cp{number}"
            self._group = replace(self._group, encoding=self.default_encoding)
        elif word == "fonttbl":
            self._group = replace(self._group, in_font_table=True)
        elif word == "uc" and number is not None:
            self._group = replace(self._group, fallback_length=number)
        elif word == "u" and number is not None:
            self._fallback_left = self._group.fallback_length
        elif word == "f" and number is not None:
            self._take_font(number)
        elif word == "fcharset" and self._group.in_font_table:
            self._fonts[self._defined_font] = _FONT_CHARSETS.get(number or 0, "")

    def _take_font(self, number: int) -> None:
        if self._group.in_font_table:
            self._defined_font = number
            return
        encoding = self._fonts.get(number) or self.default_encoding
        # A Western font in a document of another code page keeps the code page of the document.
        if encoding == "cp1252":
            encoding = self.default_encoding
        self._group = replace(self._group, encoding=encoding)

    def _flush(self) -> None:
        if not self._pending:
            return
        try:
            text = self._pending.decode(self._group.encoding, "replace")
        except LookupError:
            text = self._pending.decode("cp1252", "replace")
        self._pending.clear()
        fallback = b"?" * self._group.fallback_length
        for letter in text:
            units = letter.encode("utf-16-le")
            for place in range(0, len(units), 2):
                unit = int.from_bytes(units[place : place + 2], "little", signed=True)
                self._output += b"\\u%d" % unit + (fallback or b" ")
