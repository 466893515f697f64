"""Settings of the retrieval app (`CRMIND_RETRIEVAL`)."""

from dataclasses import dataclass

from crmind.conf import load_config


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Defaults of the retrieval app; every field is a key, in capitals, of `CRMIND_RETRIEVAL`."""

    max_question_characters: int = 4_096
    max_top_k: int = 100
    keyword_candidate_budget: int = 2_000
    hnsw_ef_search: int = 100
    hnsw_max_scan_tuples: int = 20_000
    exact_scan_limit: int = 5_000
    statement_timeout_ms: int = 5_000
    is_search_logged: bool = True


def retrieval_settings() -> RetrievalSettings:
    """Return the settings in force now."""
    return load_config(RetrievalSettings, "CRMIND_RETRIEVAL")
