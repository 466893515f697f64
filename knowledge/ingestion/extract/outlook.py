"""Outlook messages: the letter by the engine, and the files in its storages."""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from knowledge.ingestion.extract.attachments import AttachedFile, name_attached, read_attached
from knowledge.ingestion.extract.engine import read_with_engine
from knowledge.ingestion.extract.errors import NoTextError, RefusedFileError
from knowledge.ingestion.extract.formats import FileFormat
from knowledge.ingestion.extract.reading import EmbeddedReader, RawFile, Reading

if TYPE_CHECKING:
    from olefile import OleFileIO

_HEAD = re.compile(r"\A(?:(?:From|To|Cc|Subject|Date|[A-Z][\w-]+): [^\n]*\n?)*", re.IGNORECASE)
_STORAGE = "__attach_version1.0_"
# Names of streams by [MS-OXMSG]: the property, then its type.
_CONTENT = "__substg1.0_37010102"
_MESSAGE = "__substg1.0_3701000D"
_FILE_NAMES = ("3707", "3704", "3001")
_MESSAGE_HEADERS = (("Subject", "0037"), ("From", "0C1A"), ("To", "0E04"))
_BODY = "1000"
_MAX_FILES = 1000
_ENCRYPTED = "The message is encrypted: save its decrypted text instead"


def read_outlook(file: RawFile, read_embedded: EmbeddedReader) -> Reading:
    """Read a .msg file; messages attached to it are part of its text."""
    engine = read_with_engine(file.content, FileFormat.MSG.value, output="plain")
    parts = _Parts(file, read_embedded)
    parts.read()
    names = "" if file.depth else name_attached(parts.files)
    attachments = tuple(each.attachment for each in parts.files if each.attachment)
    has_body = any(map(str.isalnum, _HEAD.sub("", engine.text.lstrip())))
    if not has_body and any(map(_is_cipher, engine.attachments)):
        raise NoTextError(_ENCRYPTED)
    if not has_body and not attachments and not parts.messages:
        message = "The message has no text in its body"
        raise NoTextError(message)
    text = [engine.text.rstrip(), *parts.messages, names]
    if file.depth:
        text += [attachment.as_section for attachment in attachments]
    return Reading(
        text="\n\n".join(filter(None, text)),
        metadata=engine.metadata,
        warnings=tuple(parts.warnings),
        attachments=() if file.depth else attachments,
    )


def _is_cipher(name: str) -> bool:
    return "pgp" in name.lower() or name.lower().endswith((".p7m", ".asc"))


class _Parts:
    """What is attached to a message: files and messages, in their order."""

    def __init__(self, file: RawFile, read_embedded: EmbeddedReader) -> None:
        self._file = file
        self._read_embedded = read_embedded
        self.files: list[AttachedFile] = []
        self.messages: list[str] = []
        self.warnings: list[str] = []

    def read(self) -> None:
        """Read them all; a container that is damaged loses them, never the letter."""
        import olefile  # noqa: PLC0415 - only messages of Outlook need it

        try:
            with olefile.OleFileIO(BytesIO(self._file.content)) as container:
                for storage in _storages(container):
                    self._read_storage(container, storage)
        # The library knows no error of its own for what a damaged container makes it stumble over.
        except (OSError, ValueError, IndexError, TypeError, AttributeError, KeyError):
            self.warnings.append("The attachments could not be read: the file is damaged")

    def _read_storage(self, container: "OleFileIO", storage: str) -> None:
        inner = [storage, _MESSAGE]
        if container.exists(inner):
            message = "\n".join(_message_lines(container, inner))
            self.messages.append(f"## Attached message\n\n{message}")
            return
        if not container.exists([storage, _CONTENT]):
            return
        names = (_text(container, [storage], code) for code in _FILE_NAMES)
        name = next(filter(None, names), "unnamed")
        with container.openstream([storage, _CONTENT]) as stream:
            content = stream.read()
        attached = read_attached(self._file, name, content, self._read_embedded)
        self.files.append(attached)
        self.warnings += attached.warnings


def _storages(container: "OleFileIO") -> Iterator[str]:
    names = {entry[0] for entry in container.listdir(streams=False, storages=True)}
    found = sorted(name for name in names if name.startswith(_STORAGE))
    if len(found) > _MAX_FILES:
        message = f"The message has {len(found)} attachments, more than {_MAX_FILES}"
        raise RefusedFileError(message)
    yield from found


def _message_lines(container: "OleFileIO", storage: list[str]) -> Iterator[str]:
    for name, code in _MESSAGE_HEADERS:
        value = _text(container, storage, code)
        if value:
            yield f"{name}: {value}"
    yield ""
    yield _text(container, storage, _BODY)


def _text(container: "OleFileIO", storage: list[str], code: str) -> str:
    for kind, encoding in (("001F", "utf-16-le"), ("001E", "cp1252")):
        path = [*storage, f"__substg1.0_{code}{kind}"]
        if container.exists(path):
            with container.openstream(path) as stream:
                text = stream.read().decode(encoding, "replace")
            return str(text).replace("\r\n", "\n").strip("\x00 \n")
    return ""
