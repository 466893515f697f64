"""Names spelt nearly like those of entities."""

from uuid import UUID

import pytest

from retrieval.query.spelling import (
    MOST_WRONG,
    Spellings,
    choose_spellings,
    choose_title_words,
    misspelt_names,
    spelling_similarity,
    words_to_check,
    words_to_compare,
)
from retrieval.query.vocabulary import SimilarName


def similar(*names):
    return [SimilarName(name=name, entity_id=UUID(int=number)) for number, name in enumerate(names)]


@pytest.mark.parametrize(
    ("one", "other", "similarity"),
    [
        ("Vaubertt", "Vaubert", 1 - 1 / 8),
        ("Vuabert", "Vaubert", 1 - 1 / 7),
        ("vaubart", "Vaubert", 1 - 1 / 7),
        ("Frederique", "Frédérique", 1.0),
        ("abc", "xyz", 0.0),
        ("", "abc", 0.0),
        ("", "", 1.0),
    ],
)
def test_spelling_similarity__one_letter_added_exchanged_or_changed(one, other, similarity):
    assert spelling_similarity(one, other) == pytest.approx(similarity)
    assert spelling_similarity(other, one) == pytest.approx(similarity)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What did Vaubertt's order?", ["Vaubertt"]),
        ("the order of Dana Leee", ["Dana", "Leee"]),
        ("what did vaubertt order", ["vaubertt", "order"]),
        ("What is the price?", []),
    ],
)
def test_words_to_check__as_names_are_written(question, words):
    assert words_to_check(question) == words


def test_misspelt_names__with_the_word_that_nobody_uses():
    question = "the notes of Dana Leee"
    assert misspelt_names(question, unused={"Leee"}) == {"Dana Leee": "Leee", "Leee": "Leee"}
    assert misspelt_names(question, unused=set()) == {}
    assert misspelt_names("Ask Dana Leee", unused={"Leee"}, known=["Dana Leee"]) == {}


def test_misspelt_names__little_words_only_within():
    names = misspelt_names("the Maison du Pian", unused={"Pian"})
    assert list(names) == ["Maison du Pian", "Pian"]


def test_misspelt_names__bounded():
    words = [f"Word{number}" for number in range(2_000)]
    names = misspelt_names(" ".join(words), unused=set(words))
    assert set(names.values()) == set(words[:MOST_WRONG])
    assert len(names) < 20


def chosen(asked, *names):
    return choose_spellings([asked], {asked: similar(*names)})


def test_choose_spellings__the_one_that_is_clearly_closest():
    (vaubert, _) = names = similar("Vaubert", "Hubert")
    spellings = choose_spellings(["Vaubertt"], {"Vaubertt": names})
    assert spellings == Spellings(meant={"Vaubertt": vaubert})


def test_choose_spellings__two_alike_are_not_guessed():
    assert chosen("Holliss", "Hollis", "Hollins") == Spellings(meant={}, ambiguous=("Holliss",))


def test_choose_spellings__two_names_of_one_entity_do_not_compete():
    (name,) = similar("Hollis")
    alias = SimilarName(name="Hollins", entity_id=name.entity_id)
    assert choose_spellings(["Holliss"], {"Holliss": [alias, name]}).meant == {"Holliss": alias}


@pytest.mark.parametrize(
    ("asked", "name"),
    [("Tha", "The"), ("Rob", "Bob"), ("Camel", "Camelot"), ("KX-4471-C", "KX-4472-C"), ("Ana", "")],
)
def test_choose_spellings__neither_short_names_nor_digits_nor_other_words(asked, name):
    assert chosen(asked, name) == Spellings(meant={})


def test_choose_spellings__the_longest_name_first():
    asked = {"Dana Leee": similar("Dana Lee"), "Leee": similar("Leer")}
    assert set(choose_spellings(asked, asked).meant) == {"Dana Leee"}


def test_words_to_compare__words_that_may_be_typed_wrongly():
    question = "What does the databse guide of Q3 say about KX-4471 and databse?"
    assert words_to_compare(question) == ["databse", "guide"]


@pytest.mark.parametrize(
    ("asked", "titles", "meant"),
    [
        ("databse", ["Database guide", "Datasheets"], "Database"),
        ("migartion", ["The migration of 2025"], "migration"),
        # What stands in a title is no slip, nor is what is as near to two words.
        ("guide", ["Guide", "Guides"], None),
        ("recpt", ["Recepts", "Recipts"], None),
        # Nor another first letter, a letter in place of one, nor more wrong than one in five.
        ("context", ["Content"], None),
        ("sender", ["Render"], None),
        ("camel", ["Camelot"], None),
        ("delivery", [], None),
    ],
)
def test_choose_title_words__one_that_is_clearly_closest(asked, titles, meant):
    assert choose_title_words({asked: titles}).get(asked) == meant
