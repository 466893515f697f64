"""Answers: what is worth keeping, and what they cite."""

import pytest

from cachemgr.answers import find_fault, marked_numbers

EMPTY = "The answer is empty."
FAILURE = "The answer is an error message."
REFUSAL = "The answer says that there is no answer."
BROKEN = "The answer breaks off."


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("Fourteen days [1].", (1,)),
        ("Both [2, 3] and [1]; again [2].", (1, 2, 3)),
        ("Both [1][2].", (1, 2)),
        ("In [2031] and at [a] and [].", ()),
        ("", ()),
    ],
)
def test_marked_numbers(answer, numbers):
    assert marked_numbers(answer) == numbers


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("", EMPTY),
        (" \n\t", EMPTY),
        ("429", FAILURE),
        ("HTTP 500", FAILURE),
        ("Status: 503 upstream", FAILURE),
        ('{"error": {"code": 429}}', FAILURE),
        ("Error: the model did not answer", FAILURE),
        ("Traceback (most recent call last): ...", FAILURE),
        ("Rate limit exceeded, retry later.", FAILURE),
        ("I don't know.", REFUSAL),
        ("I don’t know [1].", REFUSAL),
        ("Sorry, that is not something I can share.", REFUSAL),
        ("I'm sorry, but I cannot help with that.", REFUSAL),
        ("There is not enough information to say [1].", REFUSAL),
        ("The provided context does not mention refunds [1].", REFUSAL),
        ("As an AI, I have no opinion.", REFUSAL),
        ("Unfortunately I could not find an answer [1].", REFUSAL),
        ("The refund period is 14 days [1], and", BROKEN),
        ("The refund period is...", BROKEN),
        ("Run:\n```\nmake refund [1]", BROKEN),
        ("nul \0 here [1]", "The answer holds NUL or half of a character (a lone surrogate)."),
        ("half \ud800 here", "The answer holds NUL or half of a character (a lone surrogate)."),
    ],
)
def test_find_fault__not_worth_keeping(answer, fault):
    assert find_fault(answer, max_bytes=1_000) == fault


@pytest.mark.parametrize(
    "answer",
    [
        "The refund period is 14 days [1].",
        "500 EUR is the limit [1].",
        "450 users are licensed [1]",
        "404 of them renewed [2].",
        "Yes [1]",
        "Managers know that they can't approve their own refunds [1].",
        "Run:\n```\nmake refund\n```\nas described in [1]",
        "返金は14日以内です [1]。",
    ],
)
def test_find_fault__worth_keeping(answer):
    assert find_fault(answer, max_bytes=1_000) == ""


def test_find_fault__counts_bytes():
    assert find_fault("ü" * 10, max_bytes=20) == ""
    assert find_fault("ü" * 11, max_bytes=20) == "The answer has 22 bytes; at most 20 are kept."


NO_ANSWERS = {
    "de": [
        "Ich weiß es leider nicht.",
        "Das kann ich anhand der Quellen nicht beantworten [1].",
        "Leider liegen dazu keine Informationen vor.",
        "Die Dokumente enthalten dazu keine Angaben.",
        "Es tut mir leid, dazu finde ich nichts.",
    ],
    "fr": [
        "Je ne sais pas.",
        "Désolé, je ne trouve pas la réponse [1].",
        "Les documents ne mentionnent pas ce point.",
        "Je n’ai pas assez d’éléments.",
    ],
    "es": ["No lo sé.", "Lo siento, no encuentro nada.", "El contexto no menciona el plazo [1]."],
    "it": ["Non lo so.", "Mi dispiace.", "I documenti non contengono il prezzo."],
    "pt": ["Não sei.", "Não há informações sobre isso [1].", "Desculpe."],
    "nl": ["Dat weet ik niet, ik weet het niet.", "Er is geen informatie.", "Helaas niet."],
}
ANSWERS = [
    "Der Vertrag endet am 31. Dezember 2028 [1].",
    "Kunden können nicht vor Ablauf von 14 Tagen kündigen [1].",
    "Le contrat n'est pas renouvelable [1].",
    "El plazo no es de 14 días, sino de 30 [1].",
    "Il rimborso non è possibile dopo 14 giorni [1].",
    "O prazo não é prorrogável [1].",
    "De termijn is niet langer dan 14 dagen [1].",
]


@pytest.mark.parametrize("answer", [text for texts in NO_ANSWERS.values() for text in texts])
def test_find_fault__no_answer_in_other_languages(answer):
    assert find_fault(answer, max_bytes=65_536) == "The answer says that there is no answer."


@pytest.mark.parametrize("answer", ANSWERS)
def test_find_fault__answer_with_a_negation_in_other_languages(answer):
    assert find_fault(answer, max_bytes=65_536) == ""
