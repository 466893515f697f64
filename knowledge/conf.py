"""Settings of the knowledge app (`CRMIND_KNOWLEDGE`)."""

from dataclasses import dataclass, field

from crmind.conf import load_config


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeSettings:
    """Defaults of the knowledge app; every field is a key, in capitals, of `CRMIND_KNOWLEDGE`."""

    embedding_provider: str = "sentence-transformers"
    embedding_model: str = "all-MiniLM-L6-v2"
    embedding_dimensions: int = 0
    embedding_batch_size: int = 32
    embedding_base_url: str = ""
    embedding_api_key: str = field(default="", repr=False)
    embedding_query_prefix: str = ""
    embedding_document_prefix: str = ""
    embedding_max_tokens: int = 0
    embedding_timeout_seconds: float = 60.0
    embedding_attempts: int = 5
    embedding_fallback_model: str = ""
    embedding_price_per_million_tokens: float = 0.0
    query_embedding_timeout_ms: int = 1_200
    chunk_max_tokens: int = 256
    chunk_target_tokens: int = 220
    chunk_overlap_tokens: int = 0
    max_file_bytes: int = 100 * 1024 * 1024
    max_export_bytes: int = 2 * 1024 * 1024 * 1024
    max_document_characters: int = 20_000_000
    ocr_languages: str = ""
    ocr_seconds: float = 600.0
    fetch_user_agent: str = "CRMind/0.1 (knowledge service)"
    fetch_allowed_hosts: tuple[str, ...] = ()
    fetch_max_bytes: int = 20 * 1024 * 1024
    fetch_step_seconds: float = 15.0
    fetch_total_seconds: float = 60.0
    fetch_interval_seconds: float = 1.0
    fetch_attempts: int = 4
    fetch_longest_wait_seconds: float = 60.0
    fetch_respects_robots: bool = True
    fetch_max_pages: int = 10_000
    bulk_max_bytes: int = 256 * 1024 * 1024
    bulk_max_documents: int = 10_000
    webhook_window_seconds: int = 300
    ingest_roots: tuple[str, ...] = ()
    removal_max_share: float = 0.1
    removal_max_documents: int = 50
    lease_seconds: float = 15.0
    entity_recognition: bool = True
    term_sample_chunks: int = 50_000
    default_trust: float = 0.7
    default_language: str = "english"


def knowledge_settings() -> KnowledgeSettings:
    """Return the settings in force now."""
    return load_config(KnowledgeSettings, "CRMIND_KNOWLEDGE")
