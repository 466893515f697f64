"""Entities that questions name."""

from uuid import UUID

import pytest

from retrieval.query.entities import NamedEntities, choose_entities, possible_names

ARTHUR, PATSY, OTHER = (UUID(int=number) for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What did King Arthur's horse eat?", "King Arthur"),
        ("what did king arthur eat", "king arthur"),
        ("Is Patsy there?", "Patsy"),
        ("quests of (Patsy), and", "Patsy"),
        ("Who owns X9?", "X9"),
        ("Ask The Black Knight.", "The Black Knight"),
    ],
)
def test_possible_names__as_names_are_written(question, name):
    assert name in possible_names(question)


@pytest.mark.parametrize("question", ["The", "the castle", "What is it?", "20 300", "Who are you"])
def test_possible_names__common_words_and_numbers_alone_name_nothing(question):
    assert {"The", "the", "What", "it", "20", "300", "20 300", "Who", "castle"}.isdisjoint(
        possible_names(question)
    )


def test_possible_names__a_long_question_has_bounded_many():
    assert len(possible_names("Word " * 4_000)) < 1_000


def test_choose_entities__the_longest_name_first():
    matches = {"King Arthur": (ARTHUR,), "Arthur": (OTHER,), "Patsy": (PATSY,)}
    assert choose_entities("King Arthur and Patsy", matches) == NamedEntities(
        found={"King Arthur": ARTHUR, "Patsy": PATSY}
    )


def test_choose_entities__what_several_are_called_is_not_guessed():
    matches = {"Patsy": (PATSY, OTHER)}
    assert choose_entities("Where is Patsy?", matches) == NamedEntities(
        found={}, ambiguous=("Patsy",)
    )
