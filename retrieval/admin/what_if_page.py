"""What "What would this change?" shows of an outcome."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from retrieval.admin.evaluation_page import preview_link
from retrieval.admin.log import VERDICTS
from retrieval.conf import retrieval_settings
from retrieval.evaluation.what_if import Effect, RankedDocument, WhatIf
from retrieval.ranking.profile import Profile

SHOWN_EFFECTS = 10
SHOWN_PLACES = 5


def describe_changes(
    form: Any, current: Mapping[str, Any], changes: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return each value that is to change, as it is and as it would be."""
    return [
        {
            "label": form.fields[name].label,
            "now": _shown(current[name]),
            "then": _shown(value),
        }
        for name, value in changes.items()
    ]


def describe_outcome(
    result: WhatIf, origins: Mapping[str, str], *, notes: Sequence[str], profile: Profile
) -> dict[str, Any]:
    """Return the change in golden-set quality and the questions that change most."""
    changed = result.changed
    least = retrieval_settings().least_judged_questions
    asked = [origins.get(effect.case.key, "") for effect in result.effects]
    return {
        "effects": [
            _effect(effect, origin=origins.get(effect.case.key, ""), profile=profile)
            for effect in changed[:SHOWN_EFFECTS]
        ],
        "changed_count": len(changed),
        "asked_count": len(asked),
        "golden_count": asked.count("golden set"),
        "recent_count": asked.count("asked lately"),
        "hidden_count": max(0, len(changed) - SHOWN_EFFECTS),
        "left_out": result.left_out,
        "seconds": retrieval_settings().what_if_seconds,
        "notes": notes,
        "judged_count": result.judged_count,
        "is_small": result.judged_count < least,
        "ndcg_before": result.ndcg_before,
        "ndcg_after": result.ndcg_after,
        "gain": f"{result.gain:+.3f}",
        "is_worse": result.gain < -retrieval_settings().most_ndcg_loss,
    }


def _effect(effect: Effect, *, origin: str, profile: Profile) -> dict[str, Any]:
    return {
        "text": effect.case.text,
        "origin": origin,
        "link": preview_link(effect.case.address, profile.slug),
        "before": [_document(each, is_after=False) for each in effect.before[:SHOWN_PLACES]],
        "after": [_document(each, is_after=True) for each in effect.after[:SHOWN_PLACES]],
        "verdict_before": VERDICTS[effect.verdict_before],
        "verdict_after": VERDICTS[effect.verdict_after],
        "is_judged": effect.ndcg_before is not None,
        "ndcg_before": effect.ndcg_before,
        "ndcg_after": effect.ndcg_after,
    }


def _document(ranked: RankedDocument, *, is_after: bool) -> dict[str, Any]:
    return {
        "rank": ranked.rank,
        "title": ranked.title,
        "source_name": ranked.source_name,
        "link": reverse("admin:knowledge_document_change", args=[ranked.document_id]),
        "move": _move(ranked, is_after=is_after),
        "is_up": ranked.other_rank is None or ranked.other_rank > ranked.rank,
    }


def _move(ranked: RankedDocument, *, is_after: bool) -> str:
    if ranked.other_rank == ranked.rank:
        return ""
    if ranked.other_rank is None:
        return "new among the first ten" if is_after else "no longer among the first ten"
    if not is_after:
        return f"→ {ranked.other_rank}"
    return f"{'▲' if ranked.rank < ranked.other_rank else '▼'} from {ranked.other_rank}"


def _shown(value: Any) -> str:
    return "empty" if value is None else str(value)
