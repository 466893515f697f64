"""Bodies of responses, unpacked within a bound while they arrive."""

import zlib
from collections.abc import Iterable

from knowledge.fetching.errors import PageRefusedError

# Reads the headers of both gzip and zlib.
_ANY_HEADER = zlib.MAX_WBITS | 32
_DAMAGED = "What the server sends is damaged: it cannot be unpacked."
ENCODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})


def read_body(blocks: Iterable[bytes], *, encoding: str, limit: int) -> bytes:
    """Return the unpacked body. Raises PageRefusedError beyond `limit` bytes."""
    encoding = encoding.strip().lower()
    if encoding not in ENCODINGS:
        message = f"The server sends the encoding {encoding[:40]!r}, which nobody asked for."
        raise PageRefusedError(message)
    if encoding in {"", "identity"}:
        return _collect(blocks, limit)
    return unpack(blocks, limit=limit)


def unpack(blocks: Iterable[bytes], *, limit: int) -> bytes:
    """Unpack gzip or zlib blocks, never holding more than the bound."""
    unpacker = zlib.decompressobj(_ANY_HEADER)
    body = bytearray()
    for block in blocks:
        try:
            body += unpacker.decompress(block, limit - len(body) + 1)
        except zlib.error as error:
            raise PageRefusedError(_DAMAGED) from error
        _check(body, limit)
    if not unpacker.eof:
        raise PageRefusedError(_DAMAGED)
    return bytes(body)


def _collect(blocks: Iterable[bytes], limit: int) -> bytes:
    body = bytearray()
    for block in blocks:
        body += block
        _check(body, limit)
    return bytes(body)


def _check(body: bytearray, limit: int) -> None:
    if len(body) > limit:
        message = f"The page has more than {limit // 1024} KB, the most that is fetched."
        raise PageRefusedError(message)
