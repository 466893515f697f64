"""Writes of what curators teach about words: synonyms and intents, refused where they mislead."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from crmind.exceptions import InvalidInputError
from knowledge.function_words import FUNCTION_WORDS
from knowledge.services.validation import save_validated
from retrieval.models import Intent, Synonym
from retrieval.query.synonyms import fold_words

MOST_PREFERENCE = 0.2
FEWEST_TERMS = 2
RELATIONS = ("preferred_types", "avoided_types")


@transaction.atomic
def save_synonym(*, synonym: Synonym | None, changes: Mapping[str, Any]) -> Synonym:
    """Add or change words that mean the same. Raises InvalidInputError naming the field."""
    row = Synonym() if synonym is None else _locked(Synonym, synonym.pk)
    for name in changes.keys() & {"terms", "is_one_way", "enabled"}:
        setattr(row, name, changes[name])
    _check_words(row.terms, field="terms")
    if len(row.terms) < FEWEST_TERMS:
        message = "Give two words or phrases or more, with commas: CRM, customer database."
        raise InvalidInputError(message, field="terms")
    _check_taught_once(row)
    save_validated(row)
    return row


@transaction.atomic
def save_intent(*, intent: Intent | None, changes: Mapping[str, Any]) -> Intent:
    """Add or change an intent. Raises InvalidInputError naming the field."""
    row = Intent() if intent is None else _locked(Intent, intent.pk)
    for name in changes.keys() - set(RELATIONS):
        setattr(row, name, changes[name])
    _check_words(row.keywords, field="keywords")
    _check_preferences(row)
    preferred, avoided = (_types(row, changes, name) for name in RELATIONS)
    both = sorted(str(each) for each in preferred if each in avoided)
    if both:
        message = f"{', '.join(both)}: preferred and avoided at once. Take one of the two away."
        raise InvalidInputError(message, field="avoided_types")
    save_validated(row)
    row.preferred_types.set(preferred)
    row.avoided_types.set(avoided)
    return row


def _locked(model: Any, key: Any) -> Any:
    return model.objects.select_for_update().get(pk=key)


def _types(intent: Intent, changes: Mapping[str, Any], name: str) -> list[Any]:
    if name in changes:
        return list(changes[name])
    return list(getattr(intent, name).all()) if intent.pk else []


def _check_preferences(intent: Intent) -> None:
    for name in ("boost", "penalty"):
        if not 0.0 <= getattr(intent, name) <= MOST_PREFERENCE:
            message = f"Give a number from 0 to {MOST_PREFERENCE}: 0.05 is a nudge."
            raise InvalidInputError(message, field=name)


def _check_words(terms: Sequence[str], *, field: str) -> None:
    seen: dict[tuple[str, ...], str] = {}
    for term in terms:
        words = tuple(fold_words(term))
        if not any(map(str.isalnum, term)):
            message = f"“{term}” holds no word."
            raise InvalidInputError(message, field=field)
        if all(word in FUNCTION_WORDS for word in words):
            message = f"“{term}” is in almost every question. Choose a word that tells something."
            raise InvalidInputError(message, field=field)
        if words in seen:
            message = f"“{seen[words]}” and “{term}” are the same: leave one out."
            raise InvalidInputError(message, field=field)
        seen[words] = term


def _check_taught_once(row: Synonym) -> None:
    """Refuse words that another entry relates already: in a loop, or the other way round."""
    own = {tuple(fold_words(term)): term for term in row.terms}
    for other in Synonym.objects.exclude(pk=row.pk).order_by("pk"):
        others = {tuple(fold_words(term)) for term in other.terms}
        shared = [term for words, term in own.items() if words in others]
        if len(shared) >= FEWEST_TERMS:
            names = " and ".join(f"“{term}”" for term in shared[:2])
            message = f"{names} are taught together already, as “{other}”. Change that entry."
            raise InvalidInputError(message, field="terms")
