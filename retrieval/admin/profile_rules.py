"""What a curator is told about the numbers of a profile before they are saved."""

from collections.abc import Collection, Mapping
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format

from retrieval.models import RankingProfile, RankingProfileVersion

SHARES = (
    ("relevance_weight", "freshness_weight", "trust_weight", "authority_weight"),
    ("vector_weight", "keyword_weight"),
)
# What the form calls the fields.
LABELS = {
    "label": "Name",
    "slug": "Name for programs",
    "is_default": "The default",
    "vector_depth": "Taken by meaning",
    "keyword_depth": "Taken by words",
    "min_similarity": "Least similarity",
    "synonym_weight": "Synonyms",
    "fusion": "Merged by",
    "vector_weight": "Meaning",
    "keyword_weight": "Words",
    "rrf_k": "Constant of places",
    "blend": "Score is",
    "relevance_weight": "Relevance",
    "freshness_weight": "Freshness",
    "trust_weight": "Trust",
    "authority_weight": "Authority",
    "undated_freshness": "Freshness if undated",
    "lexical_boost": "Boost for words",
    "recency_weight": "Newest asked for",
    "recency_half_life_days": "Half of it after days",
    "named_source_boost": "Boost for named sources",
    "period_boost": "Boost for named periods",
    "document_cap": "Per document",
    "source_cap": "Per source",
    "type_cap": "Per kind of source",
    "answerable_confidence": "Suffices from",
    "weak_confidence": "Weak from",
    "context_tokens": "Tokens",
    "context_passages": "Passages",
    "context_order": "Order",
}
ROUNDING = 0.005
# No passage but a copy of the question is as similar to it.
SILENCING_SIMILARITY = 0.95


def wrong_shares(values: Mapping[str, Any], edited: Collection[str]) -> dict[str, str]:
    """Return a message by field for weights that were changed and do not add up to 1."""
    wrong = {}
    for names in SHARES:
        weights = [values.get(name, -1.0) for name in names]
        # What is wrong by itself is told by its field.
        if not all(isinstance(weight, float) and 0 <= weight <= 1 for weight in weights):
            continue
        total = sum(weights)
        changed = [name for name in names if name in edited]
        if changed and abs(total - 1) > ROUNDING:
            wrong[changed[0]] = _shares_message(weights, total)
    return wrong


def silenced_arms(values: Mapping[str, Any], edited: Collection[str]) -> dict[str, str]:
    """Return a message by field for what was changed and lets one way of looking count nothing."""
    ways = {
        "vector_weight": ("meaning", values.get("vector_weight") == 0),
        "keyword_weight": ("words", values.get("keyword_weight") == 0),
        "min_similarity": (
            "meaning",
            (values.get("min_similarity") or 0) >= SILENCING_SIMILARITY,
        ),
    }
    return {
        name: (
            f"So nothing would be found by {way} any more. Choose another number, or tick"
            " “Look one way only” if that is meant."
        )
        for name, (way, is_silent) in ways.items()
        if is_silent and name in edited
    }


def describe_conflict(stored: RankingProfile, seen: int) -> str:
    """Return who changed what since the profile was of the version `seen`."""
    kept = RankingProfileVersion.objects.filter(profile=stored).select_related("changed_by")
    before = kept.filter(version=seen).first()
    last = kept.first()
    who = last.changed_by.get_username() if last and last.changed_by else "Somebody else"
    when = date_format(timezone.localtime(stored.updated_at), "j F Y, H:i")
    what = ", ".join(differences(before.values, stored)) if before else ""
    return (
        f"{who} changed this profile after you opened it, on {when}{': ' if what else ''}{what}."
        " Your numbers are kept below; save again to put them in place of those."
    )


def differences(values: Mapping[str, Any], profile: RankingProfile) -> list[str]:
    """Return in words what of earlier `values` is different now."""
    return [
        f"{LABELS.get(name) or name.capitalize()} was {value} and is {getattr(profile, name)}"
        for name, value in sorted(values.items())
        if hasattr(profile, name) and getattr(profile, name) != value
    ]


def _shares_message(weights: list[float], total: float) -> str:
    proportions = " / ".join(f"{weight / total:.2f}" for weight in weights)
    return (
        f"These weights add up to {total:.2f}; as shares they have to add up to 1."
        f" {proportions} keeps their proportions."
    )
