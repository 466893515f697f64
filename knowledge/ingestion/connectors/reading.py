"""Reads one file as the documents it holds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from crmind.exceptions import InvalidInputError
from knowledge.conf import knowledge_settings
from knowledge.exceptions import MappingError
from knowledge.ingestion.connectors.files import FoundFile
from knowledge.ingestion.connectors.tables import is_self_evident, is_table, read_table
from knowledge.ingestion.extract import ExtractionLimits, extract_file
from knowledge.ingestion.fields import DocumentFields
from knowledge.ingestion.front_matter import FrontMatter, split_front_matter
from knowledge.ingestion.languages import CONFIGURATION_BY_CODE
from knowledge.ingestion.moments import UnusableValueError, read_moment
from knowledge.ingestion.row_mapping import MAX_EXTERNAL_ID_LENGTH, map_rows
from knowledge.ingestion.types import (
    Extraction,
    ExtractionStatus,
    ParsedDocument,
    UnreadableDocument,
)

WITH_FRONT_MATTER = frozenset({"text/plain", "text/markdown"})
OWN_FIELDS = frozenset({"title", "language", "published_at"})
FRONT_MATTER_LENGTH = 64 * 1024
UNKNOWN_READERS = "so it is not known who may read it"

_FIRST_HEADING = re.compile(r"\s*#[ \t]+(.+)")
_TAGS_LINE = re.compile(r"^[^\S\n]*[\"']?tags\b", re.MULTILINE | re.IGNORECASE)

Incoming = ParsedDocument | UnreadableDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """The documents of one file, and what to tell about the file as a whole."""

    documents: tuple[Incoming, ...]
    warnings: tuple[str, ...] = ()


def read_file(file: FoundFile, *, mapping: Mapping[str, str]) -> FileReading:
    """Read a file: one document, or with a mapping (or telling columns) one for each row."""
    if file.reason:
        return FileReading(documents=(_refused(file, file.reason),))
    if is_table(file.path):
        reading = _read_rows(file, mapping)
        if reading is not None:
            return reading
    return FileReading(documents=(_read_whole(file),))


def _read_rows(file: FoundFile, mapping: Mapping[str, str]) -> FileReading | None:
    try:
        table = read_table(file.path)
        if not mapping and not is_self_evident(file.path, table):
            return None
        mapped = map_rows(table, mapping)
    except MappingError as error:
        return FileReading(documents=(_refused(file, error.message),))
    except InvalidInputError as error:
        return FileReading(documents=(_refused(file, error.message),)) if mapping else None
    if not mapped.documents:
        empty = UnreadableDocument(external_id=file.external_id, reason="The file has no rows.")
        return FileReading(documents=(empty,), warnings=mapped.warnings)
    documents = tuple(_with_known_readers(document) for document in mapped.documents)
    if not mapping:
        documents = tuple(_numbered(document, file) for document in documents)
    return FileReading(documents=documents, warnings=mapped.warnings)


def _numbered(document: Incoming, file: FoundFile) -> Incoming:
    """Tell rows of files apart that nobody said were of one numbering."""
    external_id = f"{file.external_id}#{document.external_id}"
    return replace(document, external_id=external_id[:MAX_EXTERNAL_ID_LENGTH])


def _read_whole(file: FoundFile) -> Incoming:
    settings = knowledge_settings()
    limits = ExtractionLimits(
        max_file_bytes=settings.max_file_bytes, max_characters=settings.max_document_characters
    )
    extraction = extract_file(file.path, limits)
    if extraction.status is not ExtractionStatus.OK:
        return UnreadableDocument(
            external_id=file.external_id,
            reason=extraction.reason,
            mime_type=extraction.mime_type,
            is_refused=extraction.status is ExtractionStatus.REFUSED,
            warnings=extraction.warnings,
        )
    return _with_known_readers(_parsed(file, extraction))


def _parsed(file: FoundFile, extraction: Extraction) -> ParsedDocument:
    front = FrontMatter(values=DocumentFields(), body=extraction.text)
    if extraction.mime_type in WITH_FRONT_MATTER:
        front = split_front_matter(extraction.text)
    written = front.values
    told = extraction.metadata
    return ParsedDocument(
        external_id=file.external_id,
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


def _with_known_readers(document: Incoming) -> Incoming:
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


def _refused(file: FoundFile, reason: str) -> UnreadableDocument:
    return UnreadableDocument(external_id=file.external_id, reason=reason, is_refused=True)


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
