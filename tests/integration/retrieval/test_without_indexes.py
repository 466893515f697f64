"""Right answers where indexes or statistics are missing: slower, and told by the checks."""

import pytest
from django.db import connection

from knowledge.checks import TEXT_INDEXES, check_text_index, check_vector_index
from knowledge.models import CorpusStatistic, TermStatistic
from knowledge.services import refresh_term_statistics
from knowledge.services.spaces import find_active_space
from retrieval.pipeline import UNCOUNTED

pytestmark = pytest.mark.django_db

QUESTIONS = ("Who carries a coconut?", "the castle of the grail", "holy hand grenade", "KX-4471")


def answers(library):
    """Return what is found for each question, and how well."""
    return {
        question: [(hit.evidence.external_id, hit.score) for hit in library.search(question).hits]
        for question in QUESTIONS
    }


def test_search__without_the_vector_index(castle):
    before = answers(castle)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {find_active_space().index_name}")
    assert answers(castle) == before
    assert [message.id for message in check_vector_index(["default"])] == ["knowledge.W002"]


def test_search__without_the_text_indexes(castle):
    before = answers(castle)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {', '.join(TEXT_INDEXES)}")
    assert answers(castle) == before
    assert {message.id for message in check_text_index(["default"])} == {"knowledge.W003"}


def test_search__before_any_word_was_counted(castle):
    """Neither are they where a backup without statistics was restored."""

    def first():
        hits = {question: castle.search(question).hits[0] for question in QUESTIONS}
        return {
            question: (hit.evidence.external_id, hit.receipt.keyword_rank)
            for question, hit in hits.items()
        }

    before = first()
    TermStatistic.objects.all().delete()
    CorpusStatistic.objects.all().delete()
    assert first() == before
    assert castle.search("grail").warnings == (UNCOUNTED,)
    assert refresh_term_statistics() == ["english"]
    assert castle.search("grail").warnings == ()
