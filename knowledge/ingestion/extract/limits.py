"""Bounds that keep one file from exhausting the machine."""

from dataclasses import dataclass

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionLimits:
    """What a single file may cost; anything beyond is refused with a reason.

    `max_depth` counts files inside files: archives in archives, messages in messages, attachments.
    `ocr_languages` are those in which scans are recognised, such as `eng+deu`; none: not at all.
    `max_ratio` applies once an archive unpacks to more than `free_unpacked_bytes`.
    """

    max_file_bytes: int = 64 * MEGABYTE
    max_entries: int = 10_000
    max_unpacked_bytes: int = 256 * MEGABYTE
    free_unpacked_bytes: int = 16 * MEGABYTE
    max_ratio: int = 100
    max_depth: int = 4
    max_seconds: float = 30.0
    max_memory_bytes: int = 900 * MEGABYTE
    max_characters: int = 20_000_000
    max_pages: int = 10_000
    ocr_languages: str = ""
