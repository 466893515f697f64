"""Files packed by gzip, such as an export with the ending .jsonl.gz, read as what they hold."""

import gzip
import zlib
from pathlib import Path
from typing import BinaryIO, TextIO

from knowledge.ingestion.extract.archive import BOMB_REASON, DAMAGED_REASON
from knowledge.ingestion.extract.errors import RefusedFileError
from knowledge.ingestion.extract.limits import ExtractionLimits

PACKED_SUFFIX = ".gz"
BLOCK_BYTES = 1024 * 1024


def is_packed(path: Path) -> bool:
    """Tell by its name whether a file is packed."""
    return path.suffix.lower() == PACKED_SUFFIX


def inner_suffix(path: Path) -> str:
    """Return the ending, in small letters, of the file itself or of what is packed in it."""
    return (path.with_suffix("") if is_packed(path) else path).suffix.lower()


def open_bytes(path: Path) -> BinaryIO | gzip.GzipFile:
    """Open a file, unpacked."""
    return gzip.open(path) if is_packed(path) else path.open("rb")


def open_text(path: Path, *, encoding: str, newline: str) -> TextIO:
    """Open a file of text, unpacked; what cannot be read in its encoding becomes U+FFFD."""
    if is_packed(path):
        return gzip.open(path, "rt", encoding=encoding, errors="replace", newline=newline)
    return path.open(encoding=encoding, errors="replace", newline=newline)


def unpacked_size(path: Path, *, limit: int) -> int:
    """Return the bytes of a file, unpacked; more than `limit` only where it lies there unpacked.

    Raises RefusedFileError for one that is damaged or unpacks to far more than its size.
    """
    packed = path.stat().st_size
    if not is_packed(path):
        return packed
    bounds = ExtractionLimits()
    believable = max(bounds.free_unpacked_bytes, bounds.max_ratio * packed)
    size = 0
    try:
        with gzip.open(path) as stream:
            while size <= limit and (block := stream.read(BLOCK_BYTES)):
                size += len(block)
                if size > believable:
                    raise RefusedFileError(BOMB_REASON)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise RefusedFileError(DAMAGED_REASON) from error
    return size
