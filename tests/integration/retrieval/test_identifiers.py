"""Codes and odd signs in questions, on a real database."""

import pytest

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


@pytest.mark.parametrize(
    "question",
    ["the", "to be or not to be", "-refund", "!grail", "grail & !castle", "'", "\\", "a:*"],
)
def test_search__no_question_matches_by_what_it_does_not_say(castle, question):
    hits = castle.search(question).hits
    matched = {hit.evidence.external_id for hit in hits if hit.receipt.keyword_rank is not None}
    assert matched <= {"grail.txt"}


def test_search__a_minus_is_no_negation(library):
    library.add("cold.txt", "The setpoint is -20 in the cold store.")
    library.add("warm.txt", "The setpoint is 35 in the hall.")
    assert library.found("setpoint -20")[0] == "cold.txt"
