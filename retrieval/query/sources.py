"""Finds the sources, and kinds of source, that a question names. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from retrieval.query.vocabulary import SourceName, TypeName
from retrieval.understanding import Preference, PreferenceKind

# "Cnbc | World Business News", "FOX News - Health": people say what stands first.
_SUBTITLE = re.compile(r"(?<!\s)\s+[|\N{EN DASH}\N{EM DASH}-]\s+|:\s+")
# What comes before a source that is meant as one.
_CUE = re.compile(
    r"(?:\b(?:according to|as per|by|from|in|on|per|says|via)|[\"'\u2018\u201c])"
    r"(?:\s+(?:a|all|an|any|its|my|our|that|the|their|this|your))?\s*$",
    re.IGNORECASE,
)
_LEAST_LENGTH = 3
_NO_NAMES = frozenset({"and", "for", "new", "news", "the", "unknown"})
_OTHER_WORDS: Mapping[str, tuple[str, ...]] = {
    "blog_post": ("blog",),
    "call_note": ("call notes",),
    "company_website": ("website", "web site", "homepage"),
    "contract": ("agreement",),
    "crm_record": ("CRM",),
    "email": ("email", "mail"),
    "job_board": ("job ad", "job advert", "job posting"),
    "news_article": ("news", "press", "media"),
    "support_ticket": ("support chat", "ticket"),
}


def find_sources(question: str, sources: Iterable[SourceName]) -> list[Preference]:
    """Return a preference for each name in the question that sources go by.

    A single word has to be written as the source writes itself ("Fortune"), or to stand where a
    source is told ("in fortune"): common words are names of sources too.
    """
    by_name: dict[str, set[int]] = defaultdict(set)
    for source in sources:
        for name in _spoken_names(source.name):
            by_name[name].add(source.source_id)
    named = {name for name in by_name if _is_named(name, question)}
    longest = {name for name in named if not any(name in other for other in named - {name})}
    return [
        Preference(
            kind=PreferenceKind.SOURCE, name=f"source {name}", source_ids=frozenset(source_ids)
        )
        for name, source_ids in sorted(by_name.items())
        if name in longest
    ]


def find_types(question: str, types: Sequence[TypeName]) -> list[Preference]:
    """Return a preference for each kind of source told as one: "according to the contract"."""
    found = []
    for kind in types:
        label = (kind.label,) if _may_be_name(kind.label) else ()
        words = (*label, *_OTHER_WORDS.get(kind.slug, ()))
        if any(_is_told(word, question) for word in words):
            found.append(
                Preference(
                    kind=PreferenceKind.SOURCE,
                    name=f"source type {kind.slug}",
                    source_types=frozenset({kind.slug}),
                )
            )
    return found


def _spoken_names(name: str) -> set[str]:
    whole = " ".join(name.split())
    return {spoken for spoken in (whole, _SUBTITLE.split(whole)[0]) if _may_be_name(spoken)}


def _may_be_name(name: str) -> bool:
    return len(name) >= _LEAST_LENGTH and name.casefold() not in _NO_NAMES


def _occurrences(name: str, question: str, *, ending: str = "") -> Iterable[re.Match[str]]:
    return re.finditer(rf"(?<!\w){re.escape(name)}{ending}(?!\w)", question, re.IGNORECASE)


def _is_named(name: str, question: str) -> bool:
    is_phrase = len(name.split()) > 1
    is_capital = name != name.lower()
    return any(
        is_phrase or (is_capital and match[0] == name) or _CUE.search(question[: match.start()])
        for match in _occurrences(name, question)
    )


def _is_told(word: str, question: str) -> bool:
    return any(
        _CUE.search(question[: match.start()])
        for match in _occurrences(word, question, ending="(?:s|es)?")
    )
