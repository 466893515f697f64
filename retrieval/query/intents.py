"""Tells from the words of a question which kinds of source answer it best. Pure."""

import re
from collections.abc import Iterable

from retrieval.query.vocabulary import IntentRule
from retrieval.understanding import Preference, PreferenceKind


def find_intents(question: str, rules: Iterable[IntentRule]) -> list[Preference]:
    """Return what each intent whose keyword the question holds prefers and avoids.

    Keywords are whole words or phrases, in any case.
    """
    found = []
    for rule in rules:
        if any(_holds(question, keyword) for keyword in rule.keywords):
            found += _preferences(rule)
    return found


def _holds(question: str, keyword: str) -> bool:
    words = r"\s+".join(map(re.escape, keyword.split()))
    return bool(words) and bool(re.search(rf"(?<!\w){words}(?!\w)", question, re.IGNORECASE))


def _preferences(rule: IntentRule) -> list[Preference]:
    sides = (
        (f"intent {rule.name}", rule.preferred_types, rule.boost),
        (f"intent {rule.name}, avoided", rule.avoided_types, -rule.penalty),
    )
    return [
        Preference(kind=PreferenceKind.INTENT, name=name, source_types=types, amount=amount)
        for name, types, amount in sides
        if types and amount
    ]
