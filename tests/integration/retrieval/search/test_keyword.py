"""The keyword arm: weights, bounds and the indexes behind it."""

import re
from uuid import uuid4

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings

from knowledge.models import CorpusStatistic, TermStatistic
from retrieval.search.keyword import find_by_keyword, read_terms
from retrieval.search.scope import Scope
from retrieval.search.sql import filter_parameters, statement
from retrieval.search.terms import Reading
from retrieval.types import Filters
from tests.integration.retrieval.conftest import EVERYONE
from tests.strategies import QUESTIONS_MADE_UP, any_text

pytestmark = pytest.mark.django_db

UNFILTERED = Filters(access_tags=EVERYONE)


WIDE = Scope(size=10**6, limit=5_000)


def find(question, *, filters=UNFILTERED, depth=10, budget=3_000, scope=WIDE):
    return find_by_keyword(
        read_terms(question), filters=filters, depth=depth, budget=budget, scope=scope
    )


def external_ids(library, result):
    by_id = {
        library.chunk_id(name): name
        for name in ("grail.txt", "swallow.txt", "bridge.txt", "rabbit.txt")
    }
    return [by_id[candidate.chunk_id] for candidate in result.candidates]


def test_read_terms__lexemes_with_their_frequencies(castle):
    (english,) = read_terms("The holy grail of Caerbannog!")
    assert (english.language, english.language_size, english.corpus_size) == ("english", 4, 4)
    assert [(term.word, term.lexeme, term.document_frequency) for term in english.terms] == [
        (2, "holi", 1),
        (3, "grail", 1),
        (5, "caerbannog", 1),
    ]


def test_read_terms__identifiers_in_parts(castle):
    (english,) = read_terms("KX-4471-B")
    lexemes = {term.lexeme for term in english.terms if term.reading is Reading.IDENTIFIER}
    assert {"kx", "4471", "kx4471b"} <= lexemes


def test_read_terms__identifiers_as_other_words(castle):
    (english,) = read_terms("KX-4471-B", reads_identifiers=False)
    assert Reading.IDENTIFIER not in {term.reading for term in english.terms}
    assert "kx4471b" not in {term.lexeme for term in english.terms}


def test_read_terms__every_configuration_in_use(castle):
    castle.add("gral.txt", "Die Burgen des Grals.", language="german")
    german, english = sorted(read_terms("Burgen"), key=lambda each: each.language, reverse=True)
    assert (german.language, german.language_size, german.corpus_size) == ("german", 1, 5)
    assert {term.lexeme for term in german.terms} == {"burg"}
    assert {term.lexeme for term in english.terms} == {"burgen"}
    result = find("Burg", depth=1)
    assert [candidate.chunk_id for candidate in result.candidates] == [castle.chunk_id("gral.txt")]


def test_find_by_keyword__the_rare_word_decides(castle):
    castle.add_all({f"bridge-{number}.txt": "The bridge is a bridge." for number in range(9)})
    assert external_ids(castle, find("grail bridge", depth=1)) == ["grail.txt"]


def test_find_by_keyword__ranks_and_scores_fall_together(castle):
    castle.add_all({"a.txt": "grail grail castle", "b.txt": "the grail", "c.txt": "a castle"})
    candidates = find("grail castle").candidates
    assert [candidate.rank for candidate in candidates] == [1, 2, 3, 4]
    scores = [candidate.score for candidate in candidates]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)


def test_find_by_keyword__common_words_find_together_what_they_do_not_alone(castle):
    castle.add_all({f"knight-{number}.txt": "The knight waits." for number in range(9)})
    castle.add_all({f"king-{number}.txt": "The king waits." for number in range(9)})
    both = castle.add("both.txt", "The king and the knight.")
    result = find("king knight", budget=9)
    assert [candidate.chunk_id for candidate in result.candidates] == [both.chunks.get().pk]
    narrow = Scope(size=9, limit=9)
    assert len(find("king knight", depth=30, budget=10, scope=narrow).candidates) == 19


def test_find_by_keyword__a_narrow_scope_uses_up_only_its_share(castle):
    """Nine knights in a corpus of 24; a scope of 12 is half of it, so 5 may stand for 9."""
    castle.add_all({f"knight-{number}.txt": "The knight waits." for number in range(9)})
    castle.add_all({f"king-{number}.txt": "The king waits." for number in range(11)})
    half = Scope(size=12, limit=12)
    assert len(find("knight", depth=30, budget=5, scope=half).candidates) == 9
    wide = Scope(size=24, limit=12)
    assert not find("knight king", depth=30, budget=5, scope=wide).candidates


def test_find_by_keyword__says_when_a_bound_cut_it_short(castle):
    castle.add_all({f"knight-{number}.txt": "The knight waits." for number in range(9)})
    assert not find("knight", budget=1).is_complete
    assert find("knight", budget=9).is_complete


def test_find_by_keyword__within_the_filters(castle):
    nobody = Filters(access_tags=frozenset({"nobody"}))
    assert find("grail", filters=nobody).candidates == ()
    elsewhere = Filters(access_tags=EVERYONE, entity_ids=(uuid4(),))
    assert find("grail", filters=elsewhere).candidates == ()


def test_find_by_keyword__without_statistics_every_word_is_rare(castle):
    TermStatistic.objects.all().delete()
    CorpusStatistic.objects.update(chunk_count=0)
    assert external_ids(castle, find("grail")) == ["grail.txt"]


def test_find_by_keyword__of_too_many_passages_those_that_repeat_the_word(castle):
    """30 passages hold the word, and one of 3 may be scored: too many to read, but for 2."""
    castle.add_all({f"knight-{number}.txt": "The knight waits." for number in range(30)})
    castle.add_all(
        {
            "twice.txt": "A knight is a knight.",
            "thrice.txt": "Knight, knight and knight.",
        }
    )
    (english,) = read_terms("knight")
    assert [(term.document_frequency, term.repeated_frequency) for term in english.terms] == [
        (32, 3)
    ]
    result = find("knight", budget=3)
    assert {candidate.chunk_id for candidate in result.candidates} == {
        castle.chunk_id("thrice.txt"),
        castle.chunk_id("twice.txt"),
    }
    assert result.is_complete
    assert not result.is_exact


def test_find_by_keyword__is_exact_where_every_word_finds_by_itself(castle):
    assert find("grail castle").is_exact
    narrow = Scope(size=4, limit=5_000)
    assert find("grail castle", scope=narrow).is_exact
    assert not find("grail castle", budget=3).is_exact


@settings(
    max_examples=QUESTIONS_MADE_UP,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(question=any_text)
def test_find_by_keyword__any_question_is_only_words(castle, question):
    if "\0" in question:
        return
    questions = read_terms(question)
    found = find_by_keyword(questions, filters=UNFILTERED, depth=10, budget=3_000, scope=WIDE)
    if not any(each.terms for each in questions):
        assert found.candidates == ()


INSERT_CROWD = """
insert into knowledge_chunk (
    document_id, position, text, prefix, heading_path, start, "end", token_count, content_hash,
    extra_terms, search_vector, is_switched_off, is_active, source_id, source_type_id, language,
    access_tags, entity_ids
)
select
    document_id, 1 + n, text, prefix, heading_path, start, "end", token_count, n::text,
    extra_terms, to_tsvector('english', 'spam ' || n), false, true, source_id, source_type_id,
    language, access_tags, entity_ids
from knowledge_chunk, generate_series(1, 500) as n
"""


@pytest.fixture
def crowded(castle):
    """Add 2,000 passages that nobody asks for."""
    with connection.cursor() as cursor:
        cursor.execute(INSERT_CROWD)
        cursor.execute("ANALYZE knowledge_chunk")


@pytest.fixture
def without_scans(db):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")


def plan(name, **parameters):
    text = statement(name).replace("{score}", "0")
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {text}", {**filter_parameters(UNFILTERED), **parameters})
        return "\n".join(line for (line,) in cursor.fetchall())


@pytest.mark.parametrize(
    ("held", "repeated", "indexes"),
    [
        ("'grail' | ('king' & 'knight')", None, {"chunk_search_vector"}),
        (None, "'grail' & 'king'", {"chunk_repeated_terms"}),
        ("'grail'", "'king'", {"chunk_search_vector", "chunk_repeated_terms"}),
    ],
)
def test_keyword__goes_through_the_indexes_of_words(
    crowded, without_scans, held, repeated, indexes
):
    text = plan("keyword", language="english", held=held, repeated=repeated, most=100, depth=10)
    assert set(re.findall(r"Bitmap Index Scan on (\w+)", text)) == indexes


def test_reference_keyword__goes_through_the_index_of_words(crowded, without_scans):
    text = plan("reference_keyword", language="english", question="grail of kings", depth=20)
    assert "Bitmap Index Scan on chunk_search_vector" in text


def test_question_terms__goes_through_the_index_of_terms(castle, without_scans):
    asked = {"expansions": [0], "words": [1], "readings": ["word"], "texts": ["grail"]}
    text = plan("question_terms", **asked)
    assert "termstatistic_unique" in text


def test_evidence__goes_through_primary_keys(castle, without_scans):
    parameters = {"chunk_ids": [1, 2], "as_of": "2031-07-20", "languages": [], "lexemes": []}
    text = plan("evidence", **parameters, queries=[])
    assert "knowledge_chunk_pkey" in text
    assert "knowledge_document_supersedes_id" in text


def test_keyword_scores__goes_through_the_primary_key(crowded, without_scans):
    text = plan("keyword_scores", language="english", chunk_ids=[1, 2])
    assert "Index Scan using knowledge_chunk_pkey" in text


def test_count_in_scope__goes_through_the_index_of_entities(crowded, without_scans):
    about = Filters(access_tags=EVERYONE, entity_ids=(uuid4(),))
    text = plan("count_in_scope", most=100, **filter_parameters(about))
    assert "Bitmap Index Scan on chunk_entities" in text
