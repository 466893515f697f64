"""Settings of the retrieval app (`CRMIND_RETRIEVAL`)."""

from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from crmind.conf import load_config


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Defaults of the retrieval app; every field is a key, in capitals, of `CRMIND_RETRIEVAL`."""

    max_question_characters: int = 4_096
    max_top_k: int = 100
    keyword_engine: str = "crmind"
    keyword_candidate_budget: int = 2_000
    hnsw_ef_search: int = 200
    hnsw_max_scan_tuples: int = 20_000
    exact_scan_limit: int = 5_000
    statement_timeout_ms: int = 5_000
    reranker_model: str = ""
    reranker_depth: int = 30
    fiscal_year_first_month: int = 0
    is_search_logged: bool = True
    search_log_questions: str = "plain"
    search_log_days: int = 90
    gap_similarity: float = 0.75
    least_judged_questions: int = 20
    most_ndcg_loss: float = 0.02
    most_verdict_loss: float = 0.1
    most_golden_questions: int = 200
    what_if_questions: int = 50
    what_if_seconds: float = 20.0


PG_TEXTSEARCH = "pg_textsearch"
KEYWORD_ENGINES = ("crmind", PG_TEXTSEARCH)
LOGGED_QUESTIONS = ("plain", "hashed")


def retrieval_settings() -> RetrievalSettings:
    """Return the settings in force now. Raises ImproperlyConfigured."""
    settings = load_config(RetrievalSettings, "CRMIND_RETRIEVAL")
    choices = {
        "SEARCH_LOG_QUESTIONS": (settings.search_log_questions, LOGGED_QUESTIONS),
        "KEYWORD_ENGINE": (settings.keyword_engine, KEYWORD_ENGINES),
    }
    for name, (chosen, known) in choices.items():
        if chosen not in known:
            message = f"{name} is {chosen!r}; it may be {' or '.join(map(repr, known))}."
            raise ImproperlyConfigured(message)
    counts = {
        "SEARCH_LOG_DAYS": settings.search_log_days,
        "RERANKER_DEPTH": settings.reranker_depth,
        "LEAST_JUDGED_QUESTIONS": settings.least_judged_questions,
        "MOST_GOLDEN_QUESTIONS": settings.most_golden_questions,
        "WHAT_IF_QUESTIONS": settings.what_if_questions,
    }
    for name, count in counts.items():
        if count < 1:
            message = f"{name} is {count}; it must be at least 1."
            raise ImproperlyConfigured(message)
    return settings
