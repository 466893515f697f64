import pytest

from knowledge.lookalikes import describe_mixed, mixed_words


@pytest.mark.parametrize(
    "word",
    [
        "p\u0430ypal",  # Cyrillic a
        "Camel\u043et",  # Cyrillic o
        "\u0410nthrax",  # Cyrillic A
        "Northw\u0456nd",  # Ukrainian i
        "\u039forthwind",  # Greek O
        "Camel\u03bft",  # Greek o
    ],
)
def test_mixed_words__one_letter_of_another_alphabet(word):
    assert mixed_words(f"Invoice of {word} GmbH") == [word]


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "Église, Straße, Łódź",
        "Договор с Northwind",
        "Λονδίνο",
        "kΩ, µm, Δt and βcarotene",
        "返品 KX-4471",
        "e\u0301glise",
    ],
)
def test_mixed_words__words_of_one_alphabet_each(text):
    assert mixed_words(text) == []


def test_describe_mixed__names_the_letter():
    assert list(describe_mixed(["p\u0430ypal"])) == [
        "Mixed alphabets: 'p\u0430ypal' holds Cyrillic small letter a"
    ]
    words = [f"{letter}\u0430x" for letter in "abcde"]
    (warning,) = describe_mixed(words)
    assert warning.endswith("; 2 more words")
    assert list(describe_mixed([])) == []
