"""Settings of the response cache (`CRMIND_CACHE`)."""

from dataclasses import dataclass

from crmind.conf import load_config


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSettings:
    """Defaults of the response cache; every field is a key, in capitals, of `CRMIND_CACHE`."""

    is_enabled: bool = True
    similarity_threshold: float = 0.8
    added_word_similarity: float = 0.93
    verifier_model: str = ""
    verifier_threshold: float = 0.5
    candidate_count: int = 10
    ttl_days: float = 7.0
    unembedded_ttl_minutes: float = 60.0
    store_key_minutes: float = 60.0
    max_answer_bytes: int = 65_536
    new_evidence_share: float = 0.7
    price_per_1000_tokens: float = 0.0
    lease_seconds: float = 20.0
    wait_seconds: float = 25.0
    max_waiting: int = 0


def cache_settings() -> CacheSettings:
    """Return the settings in force now."""
    return load_config(CacheSettings, "CRMIND_CACHE")
