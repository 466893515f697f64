"""Single compressed files, such as an export with the ending .jsonl.gz."""

import zlib
from pathlib import PurePath

from knowledge.ingestion.extract.archive import BOMB_REASON, DAMAGED_REASON
from knowledge.ingestion.extract.errors import RefusedFileError
from knowledge.ingestion.extract.reading import EmbeddedReader, RawFile, Reading

_BLOCK_BYTES = 256 * 1024


def read_gzip(file: RawFile, read_embedded: EmbeddedReader) -> Reading:
    """Unpack within the budget and read what is inside under the name without its ending."""
    inner = file.embedded(PurePath(file.name).stem, _inflate(file))
    return read_embedded(inner)


def _inflate(file: RawFile) -> bytes:
    unpacked = bytearray()
    allowed = max(file.limits.free_unpacked_bytes, file.limits.max_ratio * len(file.content))
    rest: bytes = file.content
    try:
        while rest.startswith(b"\x1f\x8b"):
            inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
            pending: bytes = rest
            while pending and not inflater.eof:
                block = inflater.decompress(pending, _BLOCK_BYTES)
                file.budget.spend(len(block))
                unpacked += block
                if len(unpacked) > allowed:
                    raise RefusedFileError(BOMB_REASON)
                pending = inflater.unconsumed_tail
            if not inflater.eof:
                raise RefusedFileError(DAMAGED_REASON)
            rest = inflater.unused_data
    except zlib.error as error:
        raise RefusedFileError(DAMAGED_REASON) from error
    return bytes(unpacked)
