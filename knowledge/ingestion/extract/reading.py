"""Values that the readers of the formats share."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from knowledge.ingestion.extract.errors import RefusedFileError
from knowledge.ingestion.extract.limits import ExtractionLimits
from knowledge.ingestion.types import Attachment


class UnpackBudget:
    """Counts what all archives of one file unpack to, however deep they are nested."""

    def __init__(self, limits: ExtractionLimits) -> None:
        self._left = limits.max_unpacked_bytes

    def spend(self, size_bytes: int) -> None:
        """Take `size_bytes` off; raise RefusedFileError when nothing is left."""
        self._left -= size_bytes
        if self._left < 0:
            message = "The archive unpacks to more than is allowed: split it into smaller files"
            raise RefusedFileError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFile:
    """Bytes under a name, and how deep inside other files they were found.

    Of a file that `is_page` of the web, only the main text counts.
    """

    name: str
    content: bytes
    limits: ExtractionLimits
    budget: UnpackBudget
    depth: int = 0
    is_page: bool = False

    def embedded(self, name: str, content: bytes) -> "RawFile":
        """Return a file found inside this one."""
        return replace(self, name=name, content=content, depth=self.depth + 1, is_page=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader found; `if_blank` is the reason shown when `text` holds no letter.

    `mime_type` is set where the decoded text shows another format than the name promised.
    """

    text: str
    mime_type: str = ""
    encoding: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    if_blank: str = "The file holds no text"


class EmbeddedReader(Protocol):
    """Reads a file inside another file."""

    def __call__(self, file: RawFile, /) -> Reading:
        """Return its text or raise RefusedFileError or NoTextError."""
        ...
