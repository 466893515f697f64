"""A sketch of a text by which others that say nearly the same are found without comparing all.

MinHash over shingles of words, looked up by bands: Broder, "On the resemblance and containment of
documents" (1997); Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section 3.4.
"""

import hashlib
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SHINGLE_WORDS = 4
BANDS = 16
ROWS_PER_BAND = 4
# Texts of fewer words have nothing in common but that they are short.
MIN_WORDS = 12
# A longer text is told by its beginning.
MAX_WORDS = 200_000

_PRIME = np.uint64((1 << 31) - 1)
_SLICE = 20_000
_WORD = re.compile(r"\w+")


def _constants(name: str, least: int) -> npt.NDArray[np.uint64]:
    """Return constants of the hash functions, the same for ever: they are in what is kept."""
    digests = (
        hashlib.sha256(f"{name} {number}".encode()).digest()
        for number in range(BANDS * ROWS_PER_BAND)
    )
    values = [least + int.from_bytes(each[:8], "big") % (int(_PRIME) - least) for each in digests]
    return np.array(values, dtype=np.uint64)


_FACTORS = _constants("factor", 1)
_OFFSETS = _constants("offset", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """`text_hash` is the same for the same words; `bands` share a value where texts are alike."""

    text_hash: str
    signature: tuple[int, ...] = ()
    bands: tuple[int, ...] = ()


def sketch_text(text: str) -> Sketch:
    """Return the sketch of a text, without signature where it is too short to be compared."""
    words = _WORD.findall(text.casefold())
    text_hash = hashlib.sha256(" ".join(words).encode("utf-8", "surrogatepass")).hexdigest()
    if len(words) < MIN_WORDS:
        return Sketch(text_hash=text_hash)
    signature = _signature(_shingles(words[:MAX_WORDS]))
    return Sketch(
        text_hash=text_hash,
        signature=tuple(int(value) for value in signature),
        bands=tuple(_band(signature, number) for number in range(BANDS)),
    )


def similarity(first: Sequence[int], second: Sequence[int]) -> float:
    """Estimate the share of shingles that two texts have in common, 0..1, by their signatures."""
    if not first or len(first) != len(second):
        return 0.0
    return sum(one == other for one, other in zip(first, second, strict=True)) / len(first)


def _shingles(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    hashes = np.fromiter(
        (zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words),
        dtype=np.uint64,
        count=len(words),
    )
    count = len(words) - SHINGLE_WORDS + 1
    shingles = np.zeros(count, dtype=np.uint64)
    for place in range(SHINGLE_WORDS):
        shingles = shingles * np.uint64(1_000_003) + hashes[place : place + count]
    return np.unique(shingles % _PRIME)


def _signature(shingles: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    least = np.full(BANDS * ROWS_PER_BAND, _PRIME, dtype=np.uint64)
    for start in range(0, len(shingles), _SLICE):
        part = shingles[start : start + _SLICE, None]
        least = np.minimum(least, ((part * _FACTORS + _OFFSETS) % _PRIME).min(axis=0))
    return least


def _band(signature: npt.NDArray[np.uint64], number: int) -> int:
    rows = signature[number * ROWS_PER_BAND : (number + 1) * ROWS_PER_BAND]
    # The number of the band is part of it: only values of the same rows may meet.
    return zlib.crc32(rows.astype("<u8").tobytes()) * BANDS + number
