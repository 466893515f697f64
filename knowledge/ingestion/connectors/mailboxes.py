"""Mailboxes: MBOX files and the message files of a Maildir, one document a message."""

import hashlib
import mailbox
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from email.parser import BytesHeaderParser
from pathlib import Path

from knowledge.ingestion.connectors.files import FoundFile
from knowledge.ingestion.connectors.reading import documents_of, extraction_limits
from knowledge.ingestion.connectors.remarks import Remark
from knowledge.ingestion.extract import extract_file
from knowledge.ingestion.types import Incoming

MBOX_SUFFIXES = frozenset({".mbox", ".mbx"})
MBOX_START = b"From "
HEADER_BYTES = 256 * 1024
BLOCK_BYTES = 1024 * 1024
MAX_MESSAGE_ID_LENGTH = 900


def is_mailbox(path: Path) -> bool:
    """Tell whether a file holds messages one after another."""
    if path.suffix.lower() in MBOX_SUFFIXES:
        return True
    if path.suffix:
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(MBOX_START)) == MBOX_START
    except OSError:
        return False


def read_mailbox(file: FoundFile) -> Iterator[Incoming | Remark]:
    """Yield each message of an MBOX file; only one is held at a time."""
    limit = extraction_limits().max_file_bytes
    try:
        if _has_longer_line(file.path, limit):
            yield Remark(
                f"{file.external_id} has a line of more than {limit // 1024**2} MB.", is_gap=True
            )
            return
        with file.path.open("rb") as start:
            head = start.read(len(MBOX_START))
        box = mailbox.mbox(file.path, create=False)
    except (OSError, mailbox.Error) as error:
        yield Remark(f"{file.external_id} cannot be read ({error}).", is_gap=True)
        return
    with closing(box), tempfile.TemporaryDirectory(prefix="crmind-") as folder:
        yield from _read_messages(file, box, head, Path(folder))


def _has_longer_line(path: Path, limit: int) -> bool:
    """Tell whether a line is too long to be held: the library reads line by line."""
    length = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            end = block.rfind(b"\n")
            length = len(block) - end - 1 if end >= 0 else length + len(block)
            if length > limit:
                return True
    return False


def _read_messages(
    file: FoundFile, box: "mailbox.mbox", head: bytes, folder: Path
) -> Iterator[Incoming | Remark]:
    if head not in {MBOX_START, b""}:
        yield Remark(
            f"{file.external_id} is no mailbox: it does not begin with 'From '.", is_gap=True
        )
        return
    keys = box.keys()
    if not keys:
        yield Remark(f"{file.external_id} holds no messages.", is_gap=True)
    limit = extraction_limits().max_file_bytes
    for number, key in enumerate(keys, start=1):
        content = box.get_file(key).read(limit + 1)
        if len(content) > limit:
            name = f"Message {number} of {file.external_id}"
            yield Remark(f"{name} is larger than {limit // 1024**2} MB.", is_gap=True)
            continue
        yield from _read_message(content, folder)


def read_message(file: FoundFile) -> Iterator[Incoming | Remark]:
    """Yield the message of one file of a Maildir."""
    limit = extraction_limits().max_file_bytes
    try:
        if file.path.stat().st_size > limit:
            yield Remark(f"{file.external_id} is larger than {limit // 1024**2} MB.", is_gap=True)
            return
        content = file.path.read_bytes()
    except OSError as error:
        # A mail client that moves it at this moment gives it another name.
        yield Remark(f"{file.external_id} cannot be read ({error.strerror}).", is_gap=True)
        return
    with tempfile.TemporaryDirectory(prefix="crmind-") as folder:
        yield from _read_message(content, Path(folder))


def _read_message(content: bytes, folder: Path) -> Iterator[Incoming]:
    path = folder / "message.eml"
    path.write_bytes(content)
    extraction = extract_file(path, extraction_limits())
    letter, *attached = documents_of(_external_id(content), extraction, is_trusted=False)
    yield replace(letter, mime_type="message/rfc822")
    yield from attached


def _external_id(content: bytes) -> str:
    """Return the id that the message carries; without one, a hash of it."""
    headers = BytesHeaderParser().parsebytes(content[:HEADER_BYTES])
    written = "".join(str(headers.get("Message-ID", "")).split())
    if written and len(written) <= MAX_MESSAGE_ID_LENGTH and written.isprintable():
        return written
    return f"message-{hashlib.sha256(content).hexdigest()[:32]}"
