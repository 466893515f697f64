"""Codes, addresses and other languages with the real model: words decide where it knows nothing."""

import pytest

from knowledge.embedding.registry import get_embedder
from retrieval.seed import seed_profiles
from tests.integration.retrieval.conftest import Library
from tests.integration.retrieval.test_identifiers import CODES, MESSAGE
from tests.integration.retrieval.test_languages import ENGLISH, FOREIGN, QUESTIONS

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db]

EXACT = {"KX-4471-B": "module.txt", "kx4471b": "module.txt"}
PARTS = {
    "4471": "module.txt",
    "4471-B": "module.txt",
    "3815": "case.txt",
    "88-10": "part.txt",
    "TRX-88-10": "part.txt",
    "orbit 5521": "ticket.txt",
    "northwind.example": "message.txt",
    "dana.lee": "message.txt",
    "lee": "message.txt",
    "415 555 0134": "message.txt",
    "5550134": "message.txt",
    "report-2031": "message.txt",
}


@pytest.fixture
def desk(seeded):
    seed_profiles()
    library = Library(get_embedder())
    library.add_all({**CODES, **FOREIGN, "message.txt": MESSAGE})
    library.add_all(
        {f"hall-{number}.txt": ENGLISH[number % 4].format("x" * number) for number in range(1, 25)}
    )
    return library


def test_search__codes_parts_and_languages(desk):
    first = {question: desk.found(question)[:3] for question in {**EXACT, **PARTS, **QUESTIONS}}
    assert {question: found[0] for question, found in first.items() if question in EXACT} == EXACT
    expected = {**PARTS, **QUESTIONS}
    missed = [question for question in expected if expected[question] not in first[question]]
    assert missed == []
    near_miss = desk.search("4472").hits
    assert all(hit.receipt.keyword_rank is None for hit in near_miss)
