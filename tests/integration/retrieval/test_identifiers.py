"""Codes and odd signs in questions, on a real database."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.exceptions import InvalidQuestionError
from retrieval.query.steps import EVERY_STEP, NO_STEP, Step
from tests.strategies import QUESTIONS_MADE_UP, any_text

pytestmark = pytest.mark.django_db

CODES = {
    "module.txt": "Module KX-4471-B replaces an older one",
    "case.txt": "Case 7720-3815 closed",
    "part.txt": "Part TRX/88-10 in stock",
    "ticket.txt": "Ticket orbit-5521 open",
}


@pytest.fixture
def codes(library):
    """Give four documents with codes among twenty without."""
    library.add_all(CODES)
    library.add_all(
        {
            f"other-{number}.txt": f"The module of hall {'x' * number} is closed"
            for number in range(1, 21)
        }
    )
    return library


@pytest.mark.parametrize(
    ("question", "external_id"),
    [
        ("KX-4471-B", "module.txt"),
        ("kx4471b", "module.txt"),
        ("4471", "module.txt"),
        ("4471-B", "module.txt"),
        ("3815", "case.txt"),
        ("88-10", "part.txt"),
        ("TRX-88-10", "part.txt"),
        ("orbit 5521", "ticket.txt"),
    ],
)
def test_search__part_of_a_code(codes, question, external_id):
    result = codes.search(question)
    assert result.hits[0].evidence.external_id == external_id
    assert result.hits[0].receipt.keyword_rank == 1
    assert result.hits[0].evidence.coverage == pytest.approx(1.0)


def test_search__a_code_that_differs_in_one_digit_matches_no_code(codes):
    hits = codes.search("4472", top_k=100).hits
    matched = {hit.evidence.external_id for hit in hits if hit.receipt.keyword_rank is not None}
    assert matched == set()
    assert {hit.evidence.coverage for hit in hits} == {0.0}


MESSAGE = "Write to dana.lee@northwind.example or call +1 (415) 555-0134; see report-2031.final.pdf"


@pytest.mark.parametrize("steps", [EVERY_STEP - {Step.IDENTIFIERS}, NO_STEP])
def test_search__codes_are_words_where_the_step_is_left_out(codes, steps):
    assert "kx4471b" in codes.search("KX-4471-B").interpretation["terms"]
    assert "kx4471b" not in codes.search("KX-4471-B", steps=steps).interpretation["terms"]


@pytest.mark.parametrize(
    "question",
    ["northwind.example", "dana.lee", "lee", "415 555 0134", "5550134", "report-2031"],
)
def test_search__part_of_an_address_a_number_or_a_file_name(codes, question):
    codes.add("message.txt", MESSAGE)
    hits = {hit.evidence.external_id: hit for hit in codes.search(question).hits[:3]}
    assert hits["message.txt"].receipt.keyword_rank == 1


def test_search__a_word_that_only_looks_alike_is_not_found_by_words(codes):
    codes.add("message.txt", MESSAGE)
    assert all(hit.receipt.keyword_rank is None for hit in codes.search("quarry").hits)


@pytest.mark.parametrize(
    "question",
    ["the", "to be or not to be", "-refund", "!grail", "grail & !castle", "'", "\\", "a:*"],
)
def test_search__no_question_matches_by_what_it_does_not_say(castle, question):
    hits = castle.search(question).hits
    matched = {hit.evidence.external_id for hit in hits if hit.receipt.keyword_rank is not None}
    assert matched <= {"grail.txt"}


OPERATORS = st.lists(
    st.sampled_from(["-", "!", "&", "|", "(", ")", "<->", ":*", "'", '"', "\\", "not", "or", "and"])
    | st.sampled_from(["grail", "refund", "the", "-refund", "NEAR/3", "a:b", "%", "_", "*"]),
    min_size=1,
    max_size=8,
)


@settings(
    max_examples=QUESTIONS_MADE_UP,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(question=any_text | OPERATORS.map(" ".join) | OPERATORS.map("".join))
def test_search__any_question_finds_by_words_only_what_holds_one(castle, question):
    try:
        hits = castle.search(question, top_k=100).hits
    except InvalidQuestionError:
        return
    for hit in hits:
        assert (hit.receipt.keyword_rank is None) or hit.evidence.coverage > 0


def test_search__a_minus_is_no_negation(library):
    library.add("cold.txt", "The setpoint is -20 in the cold store.")
    library.add("warm.txt", "The setpoint is 35 in the hall.")
    assert library.found("setpoint -20")[0] == "cold.txt"
