"""Keeps one document, source or kind of source from filling the page."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter

from retrieval.ranking.profile import Profile
from retrieval.types import Evidence


def exceeded_caps(
    ranked: Iterable[Evidence], *, profile: Profile, successors: Mapping[int, int] | None = None
) -> list[str]:
    """Return for each passage, best first, the cap it exceeds: document, source, type or none ("").

    A passage that exceeds a cap does not count towards the others. A cap of 0 is no limit. What
    has a successor (document id by chunk id) that moves down altogether moves down with it.
    """
    successors = successors or {}
    limits = [(name, key_of, most) for name, key_of, most in _limits(profile) if most]
    if not limits:
        return ["" for _ in ranked]
    first_caps: dict[int, str] = {}
    counts: Counter[tuple[str, int | str]] = Counter()
    exceeded: list[str] = []
    for evidence in ranked:
        groups = [(name, key_of(evidence), most) for name, key_of, most in limits]
        cap = next((name for name, key, most in groups if counts[name, key] >= most), "")
        cap = first_caps.get(successors.get(evidence.chunk_id, 0), "") or cap
        first_caps.setdefault(evidence.document_id, cap)
        if not cap:
            for name, key, _ in groups:
                counts[name, key] += 1
        exceeded.append(cap)
    return exceeded


def _limits(profile: Profile) -> tuple[tuple[str, Callable[[Evidence], int | str], int], ...]:
    return (
        ("document", attrgetter("document_id"), profile.document_cap),
        ("source", attrgetter("source_id"), profile.source_cap),
        ("type", attrgetter("source_type"), profile.type_cap),
    )
