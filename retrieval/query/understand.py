"""Reads out of a question what it asks for beside its topic: the steps in their order."""

from retrieval.query.recency import find_recency
from retrieval.query.sources import find_sources, find_types
from retrieval.query.vocabulary import Vocabulary
from retrieval.understanding import Preferences, Understanding


def understand(question: str, *, vocabulary: Vocabulary) -> Understanding:
    """Return what the question says, with what callers see of it."""
    described: dict[str, object] = {}
    recency = find_recency(question)
    if recency is not None:
        described["recency"] = {"words": list(recency.words), "strength": recency.strength}
    preferred = [
        *find_sources(question, vocabulary.sources),
        *find_types(question, vocabulary.types),
    ]
    if preferred:
        described["preferred"] = [preference.name for preference in preferred]
    return Understanding(
        topic=recency.topic if recency else "",
        preferences=Preferences(
            recency=recency.strength if recency else 0.0, preferred=tuple(preferred)
        ),
        described=described,
    )
