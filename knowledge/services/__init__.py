"""Every write of knowledge: what the admin, the API, the commands and the queue call."""

from knowledge.services.changes import count_citing_answers, forget_citing_answers
from knowledge.services.documents import (
    delete_document,
    restore_document,
    retire_document,
    set_access_tags,
    set_document_trust,
    store_document,
    supersede_document,
    switch_chunk,
)
from knowledge.services.entities import (
    delete_entity,
    ensure_entity,
    get_entity,
    resolve_entities,
    update_entity,
)
from knowledge.services.reindexing import reindex_document
from knowledge.services.sources import (
    create_source,
    create_source_type,
    delete_source,
    ensure_source,
    find_source_type,
    get_source,
    update_source,
    update_source_type,
)
from knowledge.services.spaces import active_space, ensure_space, find_active_space
from knowledge.services.streams import preview_documents, store_documents
from knowledge.services.terms import note_chunk_changes, refresh_term_statistics
from knowledge.services.trouble import record_unreadable
from knowledge.services.types import Outcome, StoreOutcome

__all__ = [
    "Outcome",
    "StoreOutcome",
    "active_space",
    "count_citing_answers",
    "create_source",
    "create_source_type",
    "delete_document",
    "delete_entity",
    "delete_source",
    "ensure_entity",
    "ensure_source",
    "ensure_space",
    "find_active_space",
    "find_source_type",
    "forget_citing_answers",
    "get_entity",
    "get_source",
    "note_chunk_changes",
    "preview_documents",
    "record_unreadable",
    "refresh_term_statistics",
    "reindex_document",
    "resolve_entities",
    "restore_document",
    "retire_document",
    "set_access_tags",
    "set_document_trust",
    "store_document",
    "store_documents",
    "supersede_document",
    "switch_chunk",
    "update_entity",
    "update_source",
    "update_source_type",
]
