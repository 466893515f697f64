"""What the reader process is asked and answers, as JSON lines of a stated length."""

import json
import struct
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from knowledge.ingestion.extract.limits import ExtractionLimits
from knowledge.ingestion.types import Attachment, Extraction, ExtractionStatus

_LENGTH = struct.Struct("<Q")


class ByteSource(Protocol):
    """Where requests come from."""

    def read(self, size: int, /) -> bytes:
        """Return `size` bytes, fewer only at the end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A file to read, within which bounds, and whether it is a page of the web."""

    path: Path
    limits: ExtractionLimits
    as_page: bool


def encode_request(path: Path, limits: ExtractionLimits, *, as_page: bool = False) -> bytes:
    """Frame the request to read one file."""
    return _frame({"path": str(path), "limits": asdict(limits), "as_page": as_page})


def read_request(stream: ByteSource) -> Request | None:
    """Wait for the next request; None when the other side has gone."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    message = json.loads(stream.read(_LENGTH.unpack(header)[0]))
    return Request(
        path=Path(message["path"]),
        limits=ExtractionLimits(**message["limits"]),
        as_page=message["as_page"],
    )


def encode_answer(extraction: Extraction) -> bytes:
    """Frame the result of one file."""
    return _frame(asdict(extraction))


def decode_answer(body: bytes) -> Extraction:
    """Rebuild the result; JSON, so that a subverted reader cannot run code here."""
    message = json.loads(body)
    return Extraction(
        status=ExtractionStatus(message["status"]),
        text=message["text"],
        reason=message["reason"],
        encoding=message["encoding"],
        mime_type=message["mime_type"],
        warnings=tuple(message["warnings"]),
        metadata=message["metadata"],
        attachments=tuple(map(_attachment, message["attachments"])),
    )


def _attachment(message: dict[str, Any]) -> Attachment:
    return Attachment(**{**message, "warnings": tuple(message["warnings"])})


def answer_length(header: bytes) -> int:
    """Return how many bytes follow the header of an answer."""
    return int(_LENGTH.unpack(header)[0])


HEADER_BYTES = _LENGTH.size


def _frame(message: dict[str, Any]) -> bytes:
    # ASCII escapes carry file names that are no valid Unicode.
    body = json.dumps(message).encode("ascii")
    return _LENGTH.pack(len(body)) + body
