"""Sources that questions name."""

import pytest

from retrieval.query.sources import find_sources, find_types
from retrieval.query.vocabulary import SourceName, TypeName

NAMES = (
    "Camelot",
    "Fortune",
    "The Round Table - Quests",
    "The Round Table - Feasts",
    "News",
    "The",
    "quests",
)
SOURCES = tuple(SourceName(source_id=at, name=name) for at, name in enumerate(NAMES, start=1))
TYPES = (
    TypeName(slug="contract", label="Contract"),
    TypeName(slug="news_article", label="News article"),
    TypeName(slug="email", label="E-mail"),
    TypeName(slug="unknown", label="Unknown"),
    TypeName(slug="scroll", label="Scroll"),
)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What does Camelot say of the grail?", {"source Camelot": {1}}),
        ("what is in camelot about the grail", {"source Camelot": {1}}),
        ("grail news from 'fortune'", {"source Fortune": {2}}),
        ("What is the fortune of Arthur?", {}),
        ("in fact a fortune", {}),
        ("Did The Round Table report it?", {"source The Round Table": {3, 4}}),
        ("the round table - feasts", {"source The Round Table - Feasts": {4}}),
        ("Camelots", {}),
        ("The News", {}),
        ("Which quests are open?", {}),
    ],
)
def test_find_sources__by_name(question, found):
    named = {each.name: set(each.source_ids) for each in find_sources(question, SOURCES)}
    assert named == found


@pytest.mark.parametrize(
    ("question", "slugs"),
    [
        ("What is the term according to the contract?", ["contract"]),
        ("the price in our agreements", ["contract"]),
        ("What did the press say, by e-mail or in the news?", ["news_article", "email"]),
        ("as written on any scroll", ["scroll"]),
        ("When does the contract end?", []),
        ("from the unknown", []),
    ],
)
def test_find_types__where_a_source_is_told(question, slugs):
    found = find_types(question, TYPES)
    assert [slug for each in found for slug in each.source_types] == slugs
