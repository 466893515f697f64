"""E-mail messages: headers worth searching, the body once, readable attachments."""

import base64
import email
import email.header
import email.message
import email.policy
import email.utils
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.ingestion.extract.attachments import AttachedFile, name_attached, read_attached
from knowledge.ingestion.extract.decode import codec_name, decode_text
from knowledge.ingestion.extract.errors import NoTextError, RefusedFileError
from knowledge.ingestion.extract.markup import read_html
from knowledge.ingestion.extract.reading import EmbeddedReader, RawFile, Reading

_HEADERS = ("Subject", "From", "To", "Cc", "Date")
_MAX_PARTS = 1000
_MAX_NESTING = 100
_CIPHER_TYPES = {"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"}
_MACHINE_TYPES = {
    "application/pgp-signature",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """Text of one part, or a file that came with the letter."""

    text: str
    encoding: str = ""
    warnings: tuple[str, ...] = ()
    attached: AttachedFile | None = None


def read_mail(file: RawFile, read_embedded: EmbeddedReader) -> Reading:
    """Read an RFC 822 message; of alternatives only the plain text, HTML where there is none."""
    content = _narrow(file.content)
    try:
        message = email.message_from_bytes(content, policy=email.policy.compat32)
        sections = list(_MailReader(file, read_embedded).read(message, 0))
    except RecursionError as error:
        reason = "The message is nested too deeply to be read"
        raise RefusedFileError(reason) from error
    files = [section.attached for section in sections if section.attached]
    text = "\n\n".join(section.text for section in sections if section.text.strip())
    attachments = tuple(each.attachment for each in files if each.attachment)
    if not text and not attachments:
        raise NoTextError(_explain_silence(message))
    names = "" if file.depth else name_attached(files)
    text = "\n\n".join(filter(None, (text, names)))
    headers = _headers(message)
    head = "\n".join(f"{name}: {headers[name]}" for name in _HEADERS if headers.get(name))
    return Reading(
        text=f"{head}\n\n{text}" if head else text,
        encoding=next((section.encoding for section in sections if section.encoding), "ascii"),
        metadata=_metadata(headers),
        warnings=tuple(warning for section in sections for warning in section.warnings),
        attachments=attachments,
    )


def _narrow(content: bytes) -> bytes:
    """Bring a message that was saved whole in a wide or EBCDIC encoding to UTF-8."""
    if content.isascii() and b"\x00" not in content:
        return content
    head = content[:64]
    is_wide = b"\x00" in head or head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"))
    if is_wide or b":" not in content[:2000]:
        return decode_text(content).text.encode()
    return content


class _MailReader:
    """Walks the parts of a message in their order, bounded in number and depth."""

    def __init__(self, file: RawFile, read_embedded: EmbeddedReader) -> None:
        self._file = file
        self._read_embedded = read_embedded
        self._parts_left = _MAX_PARTS

    def read(self, part: email.message.Message, nesting: int) -> Iterator[_Section]:
        self._parts_left -= 1
        if nesting > _MAX_NESTING or self._parts_left < 0:
            yield _Section(
                text="", warnings=("The message has too many parts: the rest was left out",)
            )
            return
        kind = part.get_content_type()
        if kind in _CIPHER_TYPES or kind in _MACHINE_TYPES:
            return
        if kind == "message/rfc822" or (part.is_multipart() and kind.startswith("message/")):
            yield from self._read_forwarded(part, nesting)
        elif kind == "multipart/alternative":
            yield from self._read_alternatives(part, nesting)
        elif part.is_multipart():
            for inner in _parts(part):
                yield from self.read(inner, nesting + 1)
        else:
            yield from self._read_leaf(part, kind)

    def _read_forwarded(self, part: email.message.Message, nesting: int) -> Iterator[_Section]:
        for message in map(_unwrap, _parts(part), itertools.repeat(_transfer_encoding(part))):
            headers = _headers(message)
            head = "\n".join(f"{name}: {headers[name]}" for name in _HEADERS if headers.get(name))
            inner = list(self.read(message, nesting + 1))
            if any(section.text.strip() for section in inner):
                yield _Section(text=f"## Attached message\n\n{head}")
            yield from inner

    def _read_alternatives(self, part: email.message.Message, nesting: int) -> Iterator[_Section]:
        readings = [
            (inner.get_content_type(), list(self.read(inner, nesting + 1)))
            for inner in _parts(part)
        ]
        readings.sort(key=lambda reading: reading[0] != "text/plain")
        for _, sections in readings:
            if any(section.text.strip() for section in sections):
                yield from sections
                return

    def _read_leaf(self, part: email.message.Message, kind: str) -> Iterator[_Section]:
        payload = part.get_payload(decode=True)
        content = payload if isinstance(payload, bytes) else b""
        name = _decode_header(part.get_filename() or "")
        is_attached = part.get_content_disposition() == "attachment" or bool(name)
        if is_attached and name:
            yield self._read_attachment(name, content)
        elif kind.startswith("text/"):
            decoded = decode_text(content, declared=_charset(part))
            if kind == "text/html":
                page = read_html(decoded.text)
                warnings = (*decoded.warnings, *page.warnings)
                yield _Section(text=page.text, encoding=decoded.encoding, warnings=warnings)
            else:
                yield _Section(
                    text=decoded.text, encoding=decoded.encoding, warnings=decoded.warnings
                )
        elif content and not kind.startswith("image/"):
            yield _Section(text="", warnings=(f"A part of type {kind} was not read",))

    def _read_attachment(self, name: str, content: bytes) -> _Section:
        attached = read_attached(self._file, name, content, self._read_embedded)
        if attached.attachment and self._file.depth:
            # A message inside another file is part of that document, with all that it holds.
            section, warnings = attached.attachment.as_section, attached.attachment.warnings
            return _Section(text=section, warnings=warnings)
        return _Section(text="", warnings=attached.warnings, attached=attached)


def _parts(part: email.message.Message) -> Iterator[email.message.Message]:
    payload = part.get_payload()
    if isinstance(payload, list):
        yield from (inner for inner in payload if isinstance(inner, email.message.Message))


def _transfer_encoding(part: email.message.Message) -> str:
    return str(part.get("Content-Transfer-Encoding", "")).strip().lower()


def _unwrap(message: email.message.Message, transfer_encoding: str) -> email.message.Message:
    """Decode an attached message that was encoded as a whole, which the standard forbids."""
    payload = message.get_payload()
    if transfer_encoding != "base64" or message.keys() or not isinstance(payload, str):
        return message
    try:
        content = base64.b64decode(payload)
    except ValueError:
        return message
    return email.message_from_bytes(content, policy=email.policy.compat32)


def _charset(part: email.message.Message) -> str:
    try:
        return part.get_content_charset() or ""
    except (LookupError, UnicodeError, AssertionError):
        return ""


def _headers(message: email.message.Message) -> dict[str, str]:
    headers = {}
    for name in _HEADERS:
        values = [_decode_header(value) for value in message.get_all(name, [])]
        headers[name] = ", ".join(value for value in values if value)
    return headers


def _decode_header(value: object) -> str:
    """Decode RFC 2047 words, and raw bytes where a program wrote them unencoded."""
    try:
        chunks = email.header.decode_header(str(value) if isinstance(value, str) else value)  # type: ignore[arg-type]  # Header is accepted too
    except (email.errors.HeaderParseError, ValueError, LookupError):
        return " ".join(str(value).split())
    text = "".join(_decode_chunk(chunk, charset) for chunk, charset in chunks)
    return " ".join(text.split())


def _decode_chunk(chunk: str | bytes, charset: str | None) -> str:
    if isinstance(chunk, str):
        chunk = (
            chunk.encode("ascii", "surrogateescape")
            if chunk.isascii()
            else chunk.encode("utf-8", "surrogateescape")
        )
    declared = charset if charset and codec_name(charset) else ""
    try:
        return decode_text(chunk, declared=declared).text
    except RefusedFileError:
        return chunk.decode("latin-1")


def _metadata(headers: dict[str, str]) -> dict[str, str]:
    described = {
        "title": headers["Subject"],
        "author": headers["From"],
        "published_at": _iso_date(headers["Date"]),
    }
    return {key: value for key, value in described.items() if value}


def _iso_date(value: str) -> str:
    try:
        return email.utils.parsedate_to_datetime(value).isoformat()
    except (TypeError, ValueError, IndexError, OverflowError):
        return ""


def _explain_silence(message: email.message.Message) -> str:
    kinds = {part.get_content_type() for part in message.walk()}
    if kinds & _CIPHER_TYPES:
        return "The message is encrypted: save its decrypted text instead"
    if any(kind.startswith("image/") for kind in kinds):
        return "The message holds only pictures"
    return "The message has no text in its body"
