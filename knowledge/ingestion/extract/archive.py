"""Zip files: proof that one is harmless before anything unpacks it, and its texts."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

from knowledge.ingestion.extract.errors import NoTextError, RefusedFileError
from knowledge.ingestion.extract.reading import EmbeddedReader, RawFile, Reading

_BLOCK_BYTES = 256 * 1024
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_NESTED = (b"PK\x03\x04", b"PK\x05\x06")
_ENTITY_MARKS = tuple(
    "<!ENTITY".encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be")
)
_XML_SUFFIXES = (".xml", ".rels", ".xhtml", ".opf", ".ncx", ".html", ".svg", ".vml", ".rdf")
_READABLE_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
DAMAGED_REASON = "The file is cut off or damaged: get it again from where it came from"
BOMB_REASON = "The file unpacks to far more than its size: it looks like a decompression bomb"


@contextmanager
def open_zip(content: bytes) -> Iterator[zipfile.ZipFile]:
    """Open a zip held in memory; every fault of the container is a RefusedFileError."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            yield archive
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OSError,
        NotImplementedError,  # zipfile, of a compression it does not know
        UnicodeError,
        ValueError,
        KeyError,
    ) as error:
        raise RefusedFileError(DAMAGED_REASON) from error
    except RecursionError:
        raise
    except RuntimeError as error:
        message = "The file is protected by a password: save it without one"
        raise RefusedFileError(message) from error


def check_zip(file: RawFile) -> None:
    """Raise RefusedFileError unless the archive is whole, open and within the limits.

    Entries are inflated in blocks and counted, since the sizes they declare may be lies; nested
    archives are checked with the same budget.
    """
    if file.depth > file.limits.max_depth:
        message = "The archive holds archives in archives, too deep to be read: unpack it first"
        raise RefusedFileError(message)
    with open_zip(file.content) as archive:
        entries = archive.infolist()
        _check_directory(entries, file)
        for entry in entries:
            _check_entry(entry, file)


def read_zip(file: RawFile, read_embedded: EmbeddedReader) -> Reading:
    """Join the texts of the files in an archive, each under its name."""
    sections: list[str] = []
    warnings: list[str] = []
    with open_zip(file.content) as archive:
        for entry in archive.infolist():
            if entry.is_dir() or entry.filename.startswith("__MACOSX/"):
                continue
            try:
                reading = read_embedded(file.embedded(entry.filename, archive.read(entry)))
            except (RefusedFileError, NoTextError) as error:
                warnings.append(f"{entry.filename} was not read: {error}")
                continue
            sections.append(f"# {entry.filename}\n\n{reading.text}")
            warnings += [f"{entry.filename}: {warning}" for warning in reading.warnings]
    return Reading(
        text="\n\n".join(sections),
        warnings=tuple(warnings),
        if_blank="No file in the archive holds text that can be read",
    )


def _check_directory(entries: list[zipfile.ZipInfo], file: RawFile) -> None:
    limits = file.limits
    if len(entries) > limits.max_entries:
        message = f"The archive holds {len(entries)} files, more than {limits.max_entries}"
        raise RefusedFileError(message)
    if any(entry.flag_bits & 0x1 for entry in entries):
        message = "The archive is protected by a password: unpack it and add the files"
        raise RefusedFileError(message)
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > limits.max_unpacked_bytes or (
        unpacked > limits.free_unpacked_bytes and unpacked > limits.max_ratio * len(file.content)
    ):
        raise RefusedFileError(BOMB_REASON)


def _check_entry(entry: zipfile.ZipInfo, file: RawFile) -> None:
    if entry.compress_type not in _READABLE_METHODS:
        message = f"The archive uses an unusual compression for {entry.filename}: pack it anew"
        raise RefusedFileError(message)
    is_markup = entry.filename.lower().endswith(_XML_SUFFIXES)
    size = 0
    tail = b""
    start = b""
    for block in _inflate(entry, file.content):
        start = start or block[:4]
        size += len(block)
        file.budget.spend(len(block))
        if size > entry.file_size:
            message = "The archive lies about the size of its files"
            raise RefusedFileError(message)
        if is_markup and any(mark in tail + block for mark in _ENTITY_MARKS):
            message = "The file declares XML entities, as attacks do and office programs never do"
            raise RefusedFileError(message)
        tail = block[-32:]
    if size < entry.file_size:
        raise RefusedFileError(DAMAGED_REASON)
    if start in _NESTED and size <= file.limits.max_unpacked_bytes:
        _check_nested(entry, file)


def _check_nested(entry: zipfile.ZipInfo, file: RawFile) -> None:
    nested = b"".join(_inflate(entry, file.content))
    check_zip(file.embedded(entry.filename, nested))


def _inflate(entry: zipfile.ZipInfo, content: bytes) -> Iterator[bytes]:
    """Yield the unpacked bytes of an entry as they really are, block by block."""
    offset = entry.header_offset
    header = content[offset : offset + _LOCAL_HEADER.size]
    fields = _LOCAL_HEADER.unpack(header)
    start = offset + _LOCAL_HEADER.size + fields[9] + fields[10]
    packed = memoryview(content)[start : start + entry.compress_size]
    if entry.compress_type == zipfile.ZIP_STORED:
        for place in range(0, len(packed), _BLOCK_BYTES):
            yield bytes(packed[place : place + _BLOCK_BYTES])
        return
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    for place in range(0, len(packed), _BLOCK_BYTES):
        pending: bytes | memoryview = packed[place : place + _BLOCK_BYTES]
        while pending:
            yield inflater.decompress(pending, _BLOCK_BYTES)
            pending = inflater.unconsumed_tail
    while block := inflater.decompress(b"", _BLOCK_BYTES):
        yield block
    if not inflater.eof:
        raise RefusedFileError(DAMAGED_REASON)
