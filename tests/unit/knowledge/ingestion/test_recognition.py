"""What in a text may name an entity, and which of those it is about."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.recognition import (
    BEGINNING,
    MOST_DOMAINS,
    MOST_NAMES,
    MOST_RECOGNISED,
    Mentions,
    choose_recognised,
    find_mentions,
)

HOLLIS, DANA, NORTH = (UUID(int=number) for number in (1, 2, 3))
FILLER = "they talk of prices and dates. " * 20


def names(text, title=""):
    return set(find_mentions(title=title, text=text).names)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the visit at Hollis Packaging went well", "Hollis Packaging"),
        ("Hollis Packaging's order", "Hollis Packaging"),
        ("we met\nHollis\nPackaging there", "Hollis Packaging"),
        ("with HOLLIS PACKAGING today", "HOLLIS PACKAGING"),
        ("sold to Hollis, Inc. in May", "Hollis, Inc."),
        ("a loan of Bank of the West is due", "Bank of the West"),
        ("she asked Brightwater for a price", "Brightwater"),
        ("HubSpot is down", "HubSpot"),
        ("by Procter & Gamble only", "Procter & Gamble"),
    ],
)
def test_find_mentions__what_is_written_as_a_name(text, name):
    assert len(FILLER) > BEGINNING
    assert name in names(text)
    assert name not in names(FILLER + text)
    assert name in names(f"{FILLER}{text}. {FILLER}{text}.")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Target prices rise", "Target"),
        ("we met our target and Target fell", "Target"),
        ("she asked George Washington", "Washington"),
        ("of the The and It", "The"),
        ("in It or An", "It"),
        ("the HP and 3M and 2024", "HP"),
        ("the HP and 3M and 2024", "2024"),
        ("see https://shop.example/Northwind/ or mail Northwind@mail.example", "Northwind"),
        ("we saw Hollis. Packaging came later", "Hollis. Packaging"),
        ("in Hollis, Packaging and more", "Hollis, Packaging"),
    ],
)
def test_find_mentions__rather_nothing(text, name):
    assert name not in names(text)


def test_find_mentions__one_word_in_a_title_needs_the_text():
    assert "Target" not in names("we set one", title="Target for the year")
    assert "Target" in names(f"{FILLER}we asked Target once", title="Target for the year")
    assert "Hollis Packaging" in names("they called", title="Call with Hollis Packaging")


def test_find_mentions__domains_of_mail_and_web_without_those_open_to_everybody():
    text = "ask Dana.Lee@Mail.Hollis.example, x@gmail.com or https://www.north.example/a?b=c"
    assert find_mentions(title="", text=text).domains == (
        "mail.hollis.example",
        "hollis.example",
        "www.north.example",
        "north.example",
    )


def test_choose_recognised__by_mail_address():
    mentions = find_mentions(title="", text="From: D.Lee@Hollis.example.\nTo: all@gmail.com")
    assert mentions.addresses == ("d.lee@hollis.example", "all@gmail.com")
    matches = {"d.lee@hollis.example": [DANA], "hollis.example": [HOLLIS]}
    assert choose_recognised(mentions, matches).keys() == {DANA, HOLLIS}


def test_choose_recognised__several_entities_of_a_name_are_none():
    mentions = Mentions(names=("Smith", "Dana Lee"), domains=("hollis.example",))
    matches = {"Smith": [HOLLIS, NORTH], "Dana Lee": [DANA], "hollis.example": [HOLLIS]}
    assert choose_recognised(mentions, matches) == {DANA: "Dana Lee", HOLLIS: "hollis.example"}


def test_choose_recognised__part_of_a_longer_name_only_where_it_stands_alone_too():
    matches = {"Hollis Packaging": [HOLLIS], "Hollis Packaging North": [NORTH]}
    once = "the Hollis Packaging North visit"
    assert choose_recognised(find_mentions(title="", text=once), matches) == {
        NORTH: "Hollis Packaging North"
    }
    both = f"{once} after the Hollis Packaging visit and the Hollis Packaging call"
    assert choose_recognised(find_mentions(title="", text=both), matches).keys() == {HOLLIS, NORTH}


@given(st.text(alphabet="Ab9 .,'@&\n-of", max_size=400), st.text(max_size=60))
def test_find_mentions__bounded_and_out_of_the_text(text, title):
    mentions = find_mentions(title=title, text=text)
    assert len(mentions.names) <= MOST_NAMES
    assert len(mentions.domains) <= MOST_DOMAINS
    spaced = " ".join(f"{title}\n{text}".split())
    assert all(name in spaced for name in mentions.names)


def test_recognition__many_names_are_bounded():
    text = " ".join(f"met Company{number} North," for number in range(2_000))
    mentions = find_mentions(title="", text=text + text)
    assert len(mentions.names) <= MOST_NAMES
    matches = {name: [UUID(int=place)] for place, name in enumerate(mentions.names)}
    assert len(choose_recognised(mentions, matches)) <= MOST_RECOGNISED
