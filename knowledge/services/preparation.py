"""Looks up, for a batch of parsed documents, everything that writing them needs to know."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from crmind.exceptions import CRMindError
from knowledge.conf import knowledge_settings
from knowledge.exceptions import InvalidDocumentError
from knowledge.ingestion.languages import configuration_name, text_search_configurations
from knowledge.ingestion.pipeline import Passage, clean_document, content_hash
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document, DocumentStatus, Source, SourceType
from knowledge.seed import UNKNOWN
from knowledge.services.entities import (
    find_accounts,
    find_entity_ids,
    match_entities,
    recognise_entities,
    with_accounts,
)
from knowledge.services.types import StoreFailure
from knowledge.services.validation import checked_access_tags

SETTLED = frozenset({DocumentStatus.READY, DocumentStatus.NEEDS_ATTENTION, DocumentStatus.RETIRED})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """A document as the database has it before a write."""

    document_id: int
    content_hash: str
    status: str
    reason: str
    chunk_count: int
    attempts: int
    claimed_hash: str
    last_run_id: int | None
    created_at: datetime

    def tries_of(self, content_hash: str) -> int:
        """Return how often work on this content began without an end."""
        return self.attempts if self.claimed_hash == content_hash else 0

    def is_settled_as(self, content_hash: str) -> bool:
        """Tell whether this content was stored to the end."""
        return self.status in SETTLED and self.content_hash == content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDocument:
    """A cleaned document with what its names mean here; `stored` is its earlier version.

    `recognised` are the names of entities that were found in its text.
    """

    parsed: ParsedDocument
    content_hash: str
    language: str
    entity_ids: tuple[UUID, ...]
    recognised: tuple[str, ...]
    source_type_id: int | None
    stored: StoredVersion | None
    passages: tuple[Passage, ...] = ()

    @property
    def external_id(self) -> str:
        return self.parsed.external_id

    @property
    def document_id(self) -> int | None:
        return self.stored.document_id if self.stored else None

    @property
    def tries(self) -> int:
        """How often work on this very content began without an end: its worker died."""
        return self.stored.tries_of(self.content_hash) if self.stored else 0

    @property
    def is_settled(self) -> bool:
        """Whether this very content is stored; vectors may still be missing."""
        return self.stored is not None and self.stored.is_settled_as(self.content_hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What the names in a batch of documents stand for."""

    entity_ids: Mapping[str, tuple[UUID, ...]]
    recognised: Mapping[str, Mapping[UUID, str]]
    accounts: Mapping[UUID, UUID]
    source_types: Mapping[str, int]
    languages: frozenset[str]


def prepare_documents(
    source: Source, batch: Sequence[ParsedDocument]
) -> Iterator[PreparedDocument | StoreFailure]:
    """Yield each document, cleaned and looked up, in order; one that is unfit never stops others.

    A fixed number of queries for the whole batch.
    """
    cleaned = [_cleaned(parsed) for parsed in batch]
    fit = [each for each in cleaned if isinstance(each, ParsedDocument)]
    vocabulary = _read_vocabulary(fit)
    versions = read_versions(source.pk, [each.external_id for each in fit])
    for each in cleaned:
        if isinstance(each, StoreFailure):
            yield each
            continue
        try:
            yield _prepare(each, source, vocabulary, versions.get(each.external_id))
        except CRMindError as error:
            yield StoreFailure(external_id=each.external_id, title=each.title, error=error)


def read_versions(source_id: int, external_ids: Iterable[str]) -> dict[str, StoredVersion]:
    """Return what is stored of documents of a source, by external id."""
    rows = Document.objects.filter(source=source_id, external_id__in=list(external_ids))
    names = (
        *("external_id", "pk", "content_hash", "status", "status_reason", "chunk_count"),
        *("attempts", "claimed_hash", "last_run_id", "created_at"),
    )
    return {
        row[0]: StoredVersion(
            document_id=row[1],
            content_hash=row[2],
            status=row[3],
            reason=row[4],
            chunk_count=row[5],
            attempts=row[6],
            claimed_hash=row[7],
            last_run_id=row[8],
            created_at=row[9],
        )
        for row in rows.values_list(*names)
    }


def _cleaned(parsed: ParsedDocument) -> ParsedDocument | StoreFailure:
    try:
        return clean_document(parsed, max_characters=knowledge_settings().max_document_characters)
    except CRMindError as error:
        return StoreFailure(external_id=parsed.external_id, title=parsed.title, error=error)


def _read_vocabulary(batch: Sequence[ParsedDocument]) -> Vocabulary:
    slugs = {parsed.source_type for parsed in batch if parsed.source_type}
    types = SourceType.objects.filter(slug__in=[*slugs, UNKNOWN]) if slugs else []
    entity_ids = find_entity_ids(name for parsed in batch for name in parsed.entities)
    recognised = recognise_entities(batch) if knowledge_settings().entity_recognition else {}
    named = [*entity_ids.values(), *recognised.values()]
    return Vocabulary(
        entity_ids=entity_ids,
        recognised=recognised,
        accounts=find_accounts(each for ids in named for each in ids),
        source_types={source_type.slug: source_type.pk for source_type in types},
        languages=text_search_configurations(),
    )


def _prepare(
    parsed: ParsedDocument, source: Source, vocabulary: Vocabulary, stored: StoredVersion | None
) -> PreparedDocument:
    if parsed.access_tags:
        checked_access_tags(parsed.access_tags)
    language = _language(parsed.language, source, vocabulary)
    matches = match_entities(parsed.entities, vocabulary.entity_ids)
    recognised = vocabulary.recognised.get(parsed.external_id, {})
    entity_ids = with_accounts(matches.ids or recognised, vocabulary.accounts)
    warnings = (*parsed.warnings, *matches.warnings)
    source_type_id = None
    if parsed.source_type:
        source_type_id = vocabulary.source_types.get(parsed.source_type)
        if source_type_id is None:
            source_type_id = vocabulary.source_types.get(UNKNOWN)
            warnings = (
                *warnings,
                f"type: there is no source type {parsed.source_type!r}; counted as unknown.",
            )
    return PreparedDocument(
        parsed=replace(parsed, warnings=warnings),
        content_hash=content_hash(parsed, language=language, entity_ids=entity_ids),
        language=language,
        entity_ids=entity_ids,
        recognised=tuple(recognised.values()),
        source_type_id=source_type_id,
        stored=stored,
    )


def _language(written: str, source: Source, vocabulary: Vocabulary) -> str:
    language = configuration_name(written or source.language)
    if language not in vocabulary.languages:
        message = (
            f"language: {written or source.language!r} is not one of"
            f" {', '.join(sorted(vocabulary.languages))}."
        )
        raise InvalidDocumentError(message, field="language")
    return language
