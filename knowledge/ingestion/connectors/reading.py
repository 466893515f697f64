"""Reads one file as the documents it holds."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from crmind.exceptions import InvalidInputError
from knowledge.conf import knowledge_settings
from knowledge.exceptions import MappingError
from knowledge.ingestion.clean import clean_text
from knowledge.ingestion.connectors.files import FoundFile, leads_out
from knowledge.ingestion.connectors.tables import (
    is_self_evident,
    is_table,
    may_be_self_evident,
    read_table,
)
from knowledge.ingestion.extract import ExtractionLimits, extract_file
from knowledge.ingestion.fields import DocumentFields
from knowledge.ingestion.front_matter import FrontMatter, split_front_matter
from knowledge.ingestion.languages import CONFIGURATION_BY_CODE
from knowledge.ingestion.moments import UnusableValueError, read_moment
from knowledge.ingestion.naming import fitting_id
from knowledge.ingestion.row_mapping import map_rows
from knowledge.ingestion.rows import UnboundedTableError
from knowledge.ingestion.types import (
    Attachment,
    Extraction,
    ExtractionStatus,
    Incoming,
    ParsedDocument,
    UnreadableDocument,
)

WITH_FRONT_MATTER = frozenset({"text/plain", "text/markdown"})
OWN_FIELDS = frozenset({"title", "language", "published_at", "canonical_url"})
FRONT_MATTER_LENGTH = 64 * 1024
UNKNOWN_READERS = "so it is not known who may read it"

_FIRST_HEADING = re.compile(r"\s*#[ \t]+(.+)")
_TAGS_LINE = re.compile(r"^[^\S\n]*[\"']?tags\b", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """The documents of one file, how many, and what to tell about the file as a whole.

    `gap` says why there may be documents in it that are not among these; `doubt` the same where
    only this file can hold them.
    """

    documents: Iterable[Incoming]
    count: int = 1
    warnings: tuple[str, ...] = ()
    gap: str = ""
    doubt: str = ""


def read_file(file: FoundFile, *, mapping: Mapping[str, str]) -> FileReading:
    """Read a file: one document, or with a mapping (or telling columns) one for each row."""
    if file.reason:
        return _unread(file, file.reason)
    if leads_out(file):
        return _unread(file, "It has become a link that leads out of its folder.")
    if not is_table(file.path):
        return FileReading(documents=_read_whole(file))
    reading = _read_rows(file, mapping)
    if reading is not None:
        return reading
    whole = _read_whole(file)
    is_unread = isinstance(whole[0], UnreadableDocument)
    doubt = f"{file.external_id} could not be read." if is_unread else ""
    return FileReading(documents=whole, doubt=doubt)


def _read_rows(file: FoundFile, mapping: Mapping[str, str]) -> FileReading | None:
    if not mapping and not may_be_self_evident(file.path):
        return None
    try:
        table = read_table(file.path)
        if not mapping and not is_self_evident(table):
            return None
        mapped = map_rows(table, mapping)
    except (MappingError, UnboundedTableError) as error:
        return _unread(file, error.message)
    except InvalidInputError as error:
        return _unread(file, error.message) if mapping else None
    if not mapped.documents:
        empty = UnreadableDocument(external_id=file.external_id, reason="The file has no rows.")
        gap = f"{file.external_id} has no rows."
        return FileReading(documents=(empty,), warnings=mapped.warnings, gap=gap)
    documents: Iterable[ParsedDocument | UnreadableDocument] = mapped.documents
    if not mapping:
        documents = (_numbered(document, file) for document in documents)
    documents = map(_with_known_readers, documents)
    if isinstance(mapped.documents, tuple):
        documents = tuple(documents)
    left_out = table.unreadable_count
    doubt = f"{left_out} rows of {file.external_id} could not be read." if left_out else ""
    return FileReading(
        documents=documents, count=len(mapped.documents), warnings=mapped.warnings, doubt=doubt
    )


def _numbered(
    document: ParsedDocument | UnreadableDocument, file: FoundFile
) -> ParsedDocument | UnreadableDocument:
    """Tell rows of files apart that nobody said were of one numbering."""
    return replace(document, external_id=fitting_id(f"{file.external_id}#{document.external_id}"))


def _read_whole(file: FoundFile) -> tuple[ParsedDocument | UnreadableDocument, ...]:
    extraction = extract_file(file.path, extraction_limits())
    whole, *attached = documents_of(file.external_id, extraction)
    return (_with_known_readers(whole), *attached)


def extraction_limits() -> ExtractionLimits:
    """Return the limits in force."""
    settings = knowledge_settings()
    limits = ExtractionLimits(
        max_file_bytes=settings.max_file_bytes,
        max_characters=settings.max_document_characters,
        ocr_languages=settings.ocr_languages,
    )
    # A page takes seconds to recognise.
    return replace(limits, max_seconds=settings.ocr_seconds) if settings.ocr_languages else limits


def document_of(
    external_id: str, extraction: Extraction, *, is_trusted: bool = True
) -> ParsedDocument | UnreadableDocument:
    """Return the document that was extracted, with the texts of its attachments.

    Only what is trusted may name its own readers, trust and entities by front matter.
    """
    if extraction.status is not ExtractionStatus.OK:
        return UnreadableDocument(
            external_id=external_id,
            reason=extraction.reason,
            mime_type=extraction.mime_type,
            is_refused=extraction.status is ExtractionStatus.REFUSED,
            warnings=extraction.warnings,
        )
    return _parsed(external_id, extraction, is_trusted=is_trusted)


def documents_of(
    external_id: str, extraction: Extraction, *, is_trusted: bool = True
) -> tuple[ParsedDocument | UnreadableDocument, ...]:
    """Return the document that was extracted, then those that were attached to it."""
    letter = replace(extraction, attachments=())
    document = document_of(external_id, letter, is_trusted=is_trusted)
    if isinstance(document, UnreadableDocument):
        return (document,)
    names = _distinct_names(extraction.attachments)
    attached = (
        _attached(document, name, attachment)
        for name, attachment in zip(names, extraction.attachments, strict=True)
    )
    return (document, *attached)


def _distinct_names(attachments: Iterable[Attachment]) -> list[str]:
    """Return a printable name for each attachment; one that repeats is numbered."""
    names: list[str] = []
    for attachment in attachments:
        name = " ".join(clean_text(attachment.name).text.split()) or "unnamed"
        same = sum(each == name or each.startswith(f"{name} (") for each in names)
        names.append(f"{name} ({same + 1})" if same else name)
    return names


def _attached(letter: ParsedDocument, name: str, attachment: Attachment) -> ParsedDocument:
    """Return an attachment as a document; nobody vouches for what it says of itself."""
    extraction = Extraction(
        status=ExtractionStatus.OK,
        text=attachment.text,
        mime_type=attachment.mime_type,
        warnings=attachment.warnings,
        metadata=attachment.metadata,
    )
    own_id = fitting_id(f"{letter.external_id}#{name}")
    document = _parsed(own_id, extraction, is_trusted=False)
    return replace(
        document,
        parent=letter.external_id,
        title=document.title or name,
        published_at=document.published_at or letter.published_at,
        metadata={**document.metadata, "file_name": name, "attached_to": letter.title},
    )


def _parsed(external_id: str, extraction: Extraction, *, is_trusted: bool) -> ParsedDocument:
    front = FrontMatter(values=DocumentFields(), body=extraction.full_text)
    if is_trusted and extraction.mime_type in WITH_FRONT_MATTER:
        front = split_front_matter(extraction.full_text)
    written = front.values
    told = extraction.metadata
    return ParsedDocument(
        external_id=external_id,
        text=front.body,
        title=written.title or told.get("title", "") or _first_heading(front.body),
        url=written.url,
        source_type=written.source_type,
        language=written.language or _known_language(told.get("language", "")),
        published_at=written.published_at or _moment(told.get("published_at", "")),
        valid_from=written.valid_from,
        valid_until=written.valid_until,
        supersedes=written.supersedes,
        trust=written.trust,
        entities=written.entities,
        access_tags=written.access_tags,
        mime_type=extraction.mime_type,
        metadata={
            **{key: value for key, value in told.items() if key not in OWN_FIELDS},
            **front.other,
        },
        warnings=(*extraction.warnings, *front.warnings),
    )


def _with_known_readers(
    document: ParsedDocument | UnreadableDocument,
) -> ParsedDocument | UnreadableDocument:
    """Refuse a document whose access tags cannot be read: it must not be open to all instead."""
    if isinstance(document, UnreadableDocument):
        return document
    for warning in document.warnings:
        has_lost_tags = warning.startswith("front matter kept as text") and _TAGS_LINE.search(
            document.text[:FRONT_MATTER_LENGTH]
        )
        if warning.startswith("tags:") or has_lost_tags:
            return UnreadableDocument(
                external_id=document.external_id,
                title=document.title,
                reason=f"{warning}, {UNKNOWN_READERS}",
                mime_type=document.mime_type,
                is_refused=True,
            )
    return document


def _unread(file: FoundFile, reason: str) -> FileReading:
    unread = UnreadableDocument(external_id=file.external_id, reason=reason, is_refused=True)
    return FileReading(documents=(unread,), gap=f"{file.external_id}: {reason}")


def _first_heading(text: str) -> str:
    heading = _FIRST_HEADING.match(text)
    return heading[1].strip("# \t") if heading else ""


def _known_language(language: str) -> str:
    """Return a language a file claims for itself, if there is a way to search it."""
    code = language.strip().lower().replace("_", "-").split("-")[0]
    return CONFIGURATION_BY_CODE.get(code, "")


def _moment(written: str) -> datetime | None:
    try:
        return read_moment(written) if written else None
    except UnusableValueError:
        return None
