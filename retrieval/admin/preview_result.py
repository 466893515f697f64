"""What "Try a question" shows of one profile's answer, beside another profile's or alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.safestring import SafeString

from retrieval.admin.breakdown import Breakdown, describe_days, explain_hits
from retrieval.admin.grading import Grading, grading_of
from retrieval.admin.highlight import mark_words
from retrieval.explain import describe_duplicates
from retrieval.pipeline import build_context
from retrieval.ranking.profile import Profile
from retrieval.types import Context, Hit, SearchResult, Verdict
from retrieval.why_not import WhyNot

VERDICTS = {
    Verdict.ANSWERABLE: ("success", "The evidence suffices"),
    Verdict.WEAK: ("warning", "The evidence is weak"),
    Verdict.CONFLICTING: ("warning", "The evidence conflicts"),
    Verdict.NONE: ("danger", "There is no evidence"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHit:
    """A hit as the page shows it; `move` tells where the other profile puts it."""

    hit: Hit
    title: str
    text: SafeString
    headings: str
    age: str
    link: str
    document: str
    breakdown: Breakdown
    duplicates: str
    grading: Grading | None = None
    move: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One profile's answer."""

    result: SearchResult
    profile: Profile
    badge: str
    verdict: str
    hits: tuple[ShownHit, ...]
    evidence: Context
    absence: WhyNot | None
    timings: tuple[str, ...]
    also_looked_up: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """The grades by document that the question has, and the query of the page they are given on."""

    by_document: Mapping[int, int]
    address: str


def column_of(
    result: SearchResult, *, profile: Profile, absence: WhyNot | None, grades: Grades | None
) -> Column:
    """Return what is shown of a result; without `grades` the one who looks may not grade."""
    badge, verdict = VERDICTS[result.judgment.verdict]
    return Column(
        result=result,
        profile=profile,
        badge=badge,
        verdict=verdict,
        hits=tuple(_shown(result, grades)),
        evidence=build_context(result, profile=profile),
        absence=absence,
        timings=tuple(f"{stage} {time:.0f} ms" for stage, time in result.timings_ms.items()),
        also_looked_up=_taught(result) if profile.synonym_weight > 0 else (),
    )


def side_by_side(columns: Sequence[Column]) -> list[Column]:
    """Return the columns, each hit with its place in the other one."""
    if len(columns) < 2:  # noqa: PLR2004 # nothing to compare with
        return list(columns)
    first, second = columns
    return [_with_moves(first, second), _with_moves(second, first)]


def _with_moves(column: Column, other: Column) -> Column:
    places = {shown.hit.evidence.chunk_id: shown.hit.rank for shown in other.hits}
    hits = tuple(
        replace(shown, move=_move(shown.hit, places, label=other.profile.label))
        for shown in column.hits
    )
    return replace(column, hits=hits)


def _move(hit: Hit, places: Mapping[int, int], *, label: str) -> str:
    place = places.get(hit.evidence.chunk_id)
    if place is None:
        return f"not shown by {label}"
    if place == hit.rank:
        return ""
    return f"{'▲' if hit.rank < place else '▼'} place {place} by {label}"


def _shown(result: SearchResult, grades: Grades | None) -> Iterable[ShownHit]:
    others = [each.text for each in result.query.understanding.expansions]
    words = " ".join([result.query.question, *others])
    breakdowns = explain_hits(result.hits, is_degraded=result.is_degraded)
    for hit, breakdown in zip(result.hits, breakdowns, strict=True):
        evidence = hit.evidence
        age = hit.receipt.age_days
        yield ShownHit(
            hit=hit,
            title=evidence.title or evidence.external_id,
            text=mark_words(evidence.text, words),
            headings=" / ".join(evidence.heading_path),
            age="" if age is None else f"{describe_days(age)} old",
            link=evidence.url if evidence.url.startswith(("http://", "https://")) else "",
            document=reverse("admin:knowledge_document_change", args=[evidence.document_id]),
            breakdown=breakdown,
            duplicates=describe_duplicates(hit.duplicates) if hit.duplicates else "",
            grading=_grading(evidence.document_id, grades),
        )


def _taught(result: SearchResult) -> tuple[str, ...]:
    """Return what was looked up beside the words of the question, as it was taught."""
    taught = (each.text for each in result.query.understanding.expansions if each.is_taught)
    return tuple(dict.fromkeys(taught))


def _grading(document_id: int, grades: Grades | None) -> Grading | None:
    if grades is None:
        return None
    return grading_of(document_id, grades.by_document, address=grades.address)
