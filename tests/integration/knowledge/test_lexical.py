from itertools import product

import pytest
from django.db import connection

from knowledge.lexical import identifier_terms, question_terms

pytestmark = pytest.mark.django_db

LETTERS_OF_EVERY_SCRIPT = [
    chr(code) for code in range(0x80, 0x10000) if not 0xD800 <= code < 0xE000
]
TEXTS = [
    "Module KX-4471-B, case 7720-3815, part TRX/88-10, ticket orbit-5521, setpoint -20.5",
    "Write to dana.lee@northwind.example or call +1 (415) 555-0134; see report-2031.final.pdf",
    "C++ C# .NET node.js v2.10.3 1,450,948 3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "返品は三十日以内に受け付けます 退货政策：三十天内可退 환불은 30일 이내에 가능합니다",
    "คืนสินค้าได้ภายใน 30 วัน Église Saint-Roch Kündigungsfrist",
]


def lexemes(terms):
    """Return the lexemes that PostgreSQL makes of each term."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT term, array(SELECT lexeme FROM unnest(to_tsvector('simple', term)))"
            " FROM unnest(%s::text[]) AS term",
            [terms],
        )
        return dict(cursor.fetchall())


def is_found(question, text):
    """Tell whether any term of the question is among the extra terms of the text."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT to_tsvector('simple', %s) @@ to_tsquery('simple', %s)",
            [" ".join(identifier_terms(text)), " | ".join(question_terms(question))],
        )
        return cursor.fetchone()[0]


@pytest.mark.parametrize("text", TEXTS)
def test_identifier_terms__each_is_one_lexeme(text):
    terms = question_terms(text)

    assert lexemes(terms) == {term: [term] for term in terms}


def test_identifier_terms__strings_that_look_like_numbers_are_one_lexeme():
    terms = {
        term
        for length in range(1, 6)
        for letters in product("0e1x", repeat=length)
        for term in question_terms("".join(letters))
    }

    assert lexemes(sorted(terms)) == {term: [term] for term in terms}


def test_identifier_terms__letters_of_every_script_are_one_lexeme():
    terms = {
        term
        for letter in LETTERS_OF_EVERY_SCRIPT
        for term in identifier_terms(f"a1{letter}9b {letter}x {letter}{letter}")
    }

    assert len(terms) > 60_000
    assert {t: found for t, found in lexemes(sorted(terms)).items() if found != [t]} == {}


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("4471-B", TEXTS[0]),
        ("kx4471b", TEXTS[0]),
        ("88-10", TEXTS[0]),
        ("-20.5", TEXTS[0]),
        ("lee", TEXTS[1]),
        ("415 555 0134", TEXTS[1]),
        ("5550134", TEXTS[1]),
        ("c++", TEXTS[2]),
        ("2.10", TEXTS[2]),
        ("返品", TEXTS[3]),
        ("退货", TEXTS[3]),
        ("환불", TEXTS[3]),
        ("คืนสินค้า", TEXTS[4]),
        ("eglise", TEXTS[4]),
    ],
)
def test_question_terms__find_the_text(question, text):
    assert is_found(question, text)


@pytest.mark.parametrize("question", ["4472", "quarry", "-21.5", "21.0.3", "返金"])
def test_question_terms__do_not_find_what_only_looks_alike(question):
    assert not any(is_found(question, text) for text in TEXTS)
