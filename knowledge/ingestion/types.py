"""Values that pass between the stages of ingestion."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class ExtractionStatus(StrEnum):
    """What became of one file."""

    OK = "ok"
    NO_TEXT = "no_text"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """Text of a file that came with a message, under the name it had there."""

    name: str
    text: str
    mime_type: str = ""
    warnings: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def as_section(self) -> str:
        """The attachment as a part of the text of its message."""
        return f"## Attachment: {self.name}\n\n{self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Text of one file, or why there is none.

    `reason` is empty exactly when `status` is OK: one plain sentence a curator can act on.
    `encoding` is the name Python knows it by for text formats, empty for binary formats.
    `metadata` holds what the file says of itself: title, author, published_at, language.
    `attachments` are those of a message that could be read; `text` holds only their names.
    """

    status: ExtractionStatus
    text: str = ""
    reason: str = ""
    encoding: str = ""
    mime_type: str = ""
    warnings: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()

    @property
    def full_text(self) -> str:
        """The text, followed by those of the attachments."""
        return "\n\n".join((self.text, *(each.as_section for each in self.attachments)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """One document as its origin gives it, before cleaning and chunking.

    `trust` is 0..1; None leaves the value of the source. Empty `access_tags` means the tags of the
    source. `entities` are names or external ids as written. `parent` is the external id of the
    message that it was attached to. Only where `reads_entities` is set are entities recognised in
    the text.
    """

    external_id: str
    text: str
    parent: str = ""
    title: str = ""
    url: str = ""
    source_type: str = ""
    language: str = ""
    published_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    supersedes: str = ""
    trust: float | None = None
    entities: tuple[str, ...] = ()
    reads_entities: bool = True
    access_tags: tuple[str, ...] = ()
    mime_type: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableDocument:
    """A document that exists at its origin but gives no text; `reason` is one plain sentence."""

    external_id: str
    reason: str
    title: str = ""
    mime_type: str = ""
    is_refused: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnchangedDocument:
    """A document of which its origin says that it is as it was when it was read."""

    external_id: str


Incoming = ParsedDocument | UnreadableDocument | UnchangedDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChunk:
    """A passage of a document.

    `text` is exactly `document_text[start:end]`. `prefix` is what the passage needs to be
    understood but does not hold itself: the header rows of a table that began in an earlier chunk.
    `token_count` counts the whole passage as it is embedded (title, heading path, prefix, text,
    special tokens).
    """

    position: int
    text: str
    start: int
    end: int
    token_count: int
    heading_path: tuple[str, ...] = ()
    prefix: str = ""
