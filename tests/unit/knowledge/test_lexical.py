import time
from itertools import pairwise

import pytest
from hypothesis import given

from knowledge.lexical import (
    MAX_TERM_LENGTH,
    MAX_TERMS,
    fold_accents,
    identifier_terms,
    normalise_text,
    question_terms,
)
from tests.strategies import any_text, broken_text, codes

CONTACT = "Write to dana.lee@northwind.example or call +1 (415) 555-0134; see report-2031.final.pdf"
CODES = {
    "module": "Module KX-4471-B replaces an older one",
    "case": "Case 7720-3815 closed",
    "part": "Part TRX/88-10 in stock",
    "ticket": "Ticket orbit-5521 open",
}
SCRIPTS = {
    "japanese": "返品は三十日以内に受け付けます",
    "chinese": "退货政策：三十天内可退",
    "korean": "환불은 30일 이내에 가능합니다",
    "thai": "คืนสินค้าได้ภายใน 30 วัน",
    "french": "Église Saint-Roch : visites le mardi",
    "german": "Die Kündigungsfrist beträgt drei Monate",
}


def matching(question, documents):
    terms = set(question_terms(question))
    return {name for name, text in documents.items() if terms & set(identifier_terms(text))}


@pytest.mark.parametrize(
    ("written", "normalised"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("ＫＸ－４４７１", "KX-4471"),
        ("Cafe\u0301", "Café"),
        ("of\ufb01ce", "office"),
        ("in\u00advoice", "invoice"),
        ("in\u200bvo\u2060ice\ufeff", "invoice"),
        ("\u202eevil\u202c", "evil"),
        ("KX\u20114471", "KX-4471"),
        ("\u221220", "-20"),
        ("❤\ufe0f", "❤"),
    ],
)
def test_normalise_text__folds_forms_and_drops_invisible_characters(written, normalised):
    assert normalise_text(written) == normalised


@given(broken_text)
def test_normalise_text__is_idempotent(text):
    once = normalise_text(text)

    assert normalise_text(once) == once


def test_fold_accents__keeps_marks_that_are_vowels():
    assert fold_accents("Église Größe Ёлка ٤٤٧١ हिन्दी") == "eglise grosse елка 4471 हिन्दी"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("KX-4471-B", ["kx", "4471", "kx4471", "4471b", "kx4471b"]),
        ("TRX/88-10", ["trx", "88", "10", "trx88", "8810", "trx8810"]),
        ("INC-98765,", ["inc", "98765", "inc98765"]),
        ("C++ and C#", ["cplusplus", "csharp"]),
        (".NET", ["dotnet"]),
        ("v2.10.3", ["v2", "10", "2d10", "10d3", "v2d10", "2d10d3", "v2d10d3"]),
        ("setpoint -20", ["neg20", "20"]),
        ("\u221220.5", ["neg20d5", "20", "20d5"]),
        ("1,450,948", ["1450948", "450", "948"]),
        ("e-mail R&D O'Brien don't", ["email", "rd", "obrien"]),
        ("Église", ["eglise"]),
        ("返品は", ["返品", "品は"]),
        ("退", ["退"]),
        ("12e5f6", ["x12e5f6"]),
        ("Nothing but plain words, here.", []),
        ("", []),
    ],
)
def test_identifier_terms__of_each_kind(text, terms):
    assert identifier_terms(text)[: len(terms)] == terms
    assert bool(identifier_terms(text)) == bool(terms)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("KX-4471-B", {"module"}),
        ("kx4471b", {"module"}),
        ("4471", {"module"}),
        ("4471-B", {"module"}),
        ("3815", {"case"}),
        ("88-10", {"part"}),
        ("TRX-88-10", {"part"}),
        ("orbit 5521", {"ticket"}),
        ("4472", set()),
        ("447", set()),
    ],
)
def test_question_terms__part_of_a_code(question, found):
    assert matching(question, CODES) == found


@pytest.mark.parametrize(
    "question",
    ["northwind.example", "dana.lee", "lee", "415 555 0134", "5550134", "report-2031"],
)
def test_question_terms__part_of_an_address_phone_number_or_file_name(question):
    assert matching(question, {"contact": CONTACT, "other": "The quarry"}) == {"contact"}


def test_question_terms__word_that_is_part_of_nothing():
    assert matching("quarry", {"contact": CONTACT}) == set()


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("返品", "japanese"),
        ("退货", "chinese"),
        ("환불", "korean"),
        ("คืนสินค้า", "thai"),
        ("eglise", "french"),
        ("Église", "french"),
        ("Kündigungsfrist", "german"),
        ("Ku\u0308ndigungsfrist", "german"),
    ],
)
def test_question_terms__scripts_without_spaces_and_folded_letters(question, found):
    assert matching(question, SCRIPTS) == {found}


def test_question_terms__versions_with_the_same_digits_differ():
    assert matching("v21.0.3", {"release": "Release v2.10.3"}) == set()


def test_question_terms__add_plain_words():
    assert question_terms("Where is KX-4471?")[-2:] == ["where", "is"]


@given(codes)
def test_identifier_terms__separators_do_not_matter(parts):
    terms = [set(identifier_terms(separator.join(parts))) for separator in "-/"]

    assert terms[0] == terms[1]


@given(codes)
def test_question_terms__neighbouring_parts_find_the_code(parts):
    terms = set(identifier_terms("-".join(parts)))

    for first, second in pairwise(parts):
        assert terms & set(question_terms(f"{first}-{second}"))


@given(broken_text | any_text)
def test_identifier_terms__are_bounded_distinct_and_made_of_letters_and_digits(text):
    terms = question_terms(text)

    assert len(terms) == len(set(terms)) <= MAX_TERMS
    assert all(0 < len(term) <= MAX_TERM_LENGTH + 1 for term in terms)
    assert all(term[0].isalnum() and not set(term) & set(" -/._@'") for term in terms)


@given(any_text)
def test_identifier_terms__do_not_depend_on_invisible_characters(text):
    assert identifier_terms(normalise_text(text)) == identifier_terms(text)


@pytest.mark.parametrize(
    "hostile",
    ["a-" * 50_000, "1," * 50_000, "(" * 100_000, "+1 (" * 25_000, "返" * 100_000, "-1" * 50_000],
)
def test_identifier_terms__hostile_text_takes_linear_time(hostile):
    started = time.process_time()

    assert len(identifier_terms(hostile)) <= MAX_TERMS
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The Who live", ["thewho"]),
        ("the who", ["thewho"]),
        ("Will Over", ["willover"]),
        ("To be or not to be", ["tobe", "beor", "ornot", "notto"]),
        ("Ask the IT department of the US.", ["it", "us"]),
        ("Where is it?", ["whereis", "isit"]),
        ("The grail is where it was", []),
        ("DO NOT DISTRIBUTE this", []),
        ("ASK IT", []),
    ],
)
def test_identifier_terms__names_made_of_little_words(text, terms):
    assert identifier_terms(text) == terms
