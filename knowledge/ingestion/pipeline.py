"""From a parsed document to the passages that are stored: clean, chunk, prepare for search."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from knowledge.embedding.base import Tokenizer
from knowledge.exceptions import InvalidDocumentError
from knowledge.ingestion.chunking import ChunkingSettings, split_into_chunks
from knowledge.ingestion.clean import clean_metadata, clean_text, describe_counts
from knowledge.ingestion.naming import MAX_EXTERNAL_ID_LENGTH
from knowledge.ingestion.passages import passage_text
from knowledge.ingestion.types import ParsedDocument, TextChunk
from knowledge.lexical import identifier_terms, normalise_text
from knowledge.lookalikes import describe_mixed, mixed_words

MAX_TITLE_LENGTH = 1_000
MAX_URL_LENGTH = 2_000
MAX_AUTHOR_LENGTH = 300
MAX_MIME_TYPE_LENGTH = 200
# PostgreSQL refuses a text-search vector of 1 MB; words and positions can double their text.
MAX_SEARCH_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A chunk ready to be stored: as it is embedded, and as it is searched by words."""

    chunk: TextChunk
    text: str
    content_hash: str
    search_text: str
    extra_terms: str


def clean_document(parsed: ParsedDocument, *, max_characters: int) -> ParsedDocument:
    """Return the document fit for storage, with a warning for what had to change.

    Raises InvalidDocumentError for what cannot be mended.
    """
    _check(parsed)
    if len(parsed.text) > max_characters:
        message = f"text: {len(parsed.text)} characters; at most {max_characters} are taken."
        raise InvalidDocumentError(message, field="text")
    text = clean_text(parsed.text)
    metadata = clean_metadata(parsed.metadata)
    warnings = [*parsed.warnings, *describe_counts(text.counts + metadata.counts)]
    url = clean_line(parsed.url)
    if len(url) > MAX_URL_LENGTH:
        warnings.append(f"The address has {len(url)} characters and was left out.")
        url = ""
    title = clean_line(parsed.title)
    if len(title) > MAX_TITLE_LENGTH:
        warnings.append(f"The title has {len(title)} characters and was cut.")
        title = title[:MAX_TITLE_LENGTH]
    warnings.extend(describe_mixed(mixed_words(f"{title}\n{text.text}")))
    return replace(
        parsed,
        text=text.text if text.text.strip() else "",
        title=title,
        url=url,
        mime_type=clean_line(parsed.mime_type)[:MAX_MIME_TYPE_LENGTH],
        source_type=clean_line(parsed.source_type),
        language=clean_line(parsed.language),
        supersedes=clean_line(parsed.supersedes),
        entities=tuple(clean_line(name) for name in parsed.entities),
        metadata={key: _as_text(value) for key, value in metadata.metadata.items()},
        warnings=tuple(dict.fromkeys(clean_line(warning) for warning in warnings)),
    )


def content_hash(parsed: ParsedDocument, *, language: str, entity_ids: Iterable[UUID]) -> str:
    """Return the SHA-256 of everything about a cleaned document that its stored form depends on."""
    facts = [
        parsed.text,
        parsed.title,
        parsed.url,
        parsed.source_type,
        language,
        _moment(parsed.published_at),
        _moment(parsed.valid_from),
        _moment(parsed.valid_until),
        parsed.trust,
        sorted(parsed.access_tags),
        sorted(map(str, entity_ids)),
        parsed.metadata,
    ]
    canonical = json.dumps(facts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def split_document(
    *, text: str, title: str, tokenizer: Tokenizer, settings: ChunkingSettings
) -> tuple[Passage, ...]:
    """Return the passages of a cleaned text, in order; none for a text of white space."""
    chunks = split_into_chunks(text, title=title, tokenizer=tokenizer, settings=settings)
    return tuple(_passage(chunk, title, settings.max_tokens) for chunk in chunks)


def _passage(chunk: TextChunk, title: str, max_tokens: int) -> Passage:
    text = passage_text(
        title=title,
        heading_path=chunk.heading_path,
        prefix=chunk.prefix,
        text=chunk.text,
        max_tokens=max_tokens,
    )
    searched = "\n".join([title, *chunk.heading_path, chunk.prefix, chunk.text])
    searched = _bounded(normalise_text(searched))
    return Passage(
        chunk=chunk,
        text=text,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        search_text=searched,
        extra_terms=" ".join(identifier_terms(searched)),
    )


def _bounded(text: str) -> str:
    if len(text) * 4 <= MAX_SEARCH_BYTES:
        return text
    return text.encode()[:MAX_SEARCH_BYTES].decode(errors="ignore")


def check_external_id(external_id: str) -> None:
    """Raise InvalidDocumentError for an external id that cannot be stored."""
    if not external_id.strip() or len(external_id) > MAX_EXTERNAL_ID_LENGTH:
        message = f"external_id: give 1 to {MAX_EXTERNAL_ID_LENGTH} characters."
        raise InvalidDocumentError(message, field="external_id")
    if not is_storable(external_id):
        message = "external_id: it holds characters that cannot be stored."
        raise InvalidDocumentError(message, field="external_id")


def is_storable(external_id: str) -> bool:
    """Tell whether the database can hold the characters of an external id."""
    return clean_text(external_id).text == external_id


def _check(parsed: ParsedDocument) -> None:
    check_external_id(parsed.external_id)
    if parsed.trust is not None and not 0.0 <= parsed.trust <= 1.0:
        message = f"trust: {parsed.trust} is not a number from 0 to 1."
        raise InvalidDocumentError(message, field="trust")
    if parsed.valid_from and parsed.valid_until and parsed.valid_until <= parsed.valid_from:
        message = "valid_until: it must lie after valid_from."
        raise InvalidDocumentError(message, field="valid_until")


def clean_line(value: str) -> str:
    """Return a text of one line, of characters that the database can hold."""
    return " ".join(clean_text(value).text.split())


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _moment(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


def metadata_text(metadata: Mapping[str, object], key: str) -> str:
    """Return a value of the metadata as one line, empty if there is none."""
    value = metadata.get(key, "")
    return clean_line(value) if isinstance(value, str) else ""
