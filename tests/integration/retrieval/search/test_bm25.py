"""The keyword arm on the extension pg_textsearch.

The embedded server does not have the extension, so its interface is made up here: the type of a
query, the function that makes one, and the operator, which yields negative scores as the original
does. What the extension's own index does is not tested.
"""

from io import StringIO

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection

from retrieval.conf import retrieval_settings
from retrieval.search.bm25 import (
    find_by_bm25,
    index_name,
    index_statement,
    missing_indexes,
    read_words,
    score_by_bm25,
)
from retrieval.types import Filters

pytestmark = pytest.mark.django_db

INTERFACE = """
create type bm25query as (words text, index_name text);
create function to_bm25query(text, text) returns bm25query language sql immutable as $$
  select row($1, $2)::bm25query
$$;
create function distance(content text, asked bm25query) returns float8 language sql stable as $$
  select -ts_rank(
    to_tsvector('english', content),
    replace(plainto_tsquery('english', asked.words)::text, '&', '|')::tsquery
  )
$$;
create operator <@> (leftarg = text, rightarg = bm25query, function = distance);
"""
EVERYONE = Filters(access_tags=frozenset({"everyone"}))


@pytest.fixture
def extension(castle):
    with connection.cursor() as cursor:
        cursor.execute(INTERFACE)


@pytest.fixture
def index(extension):
    """Stand in, by its name, for the index that the extension would build."""
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute(f"create index {index_name('english')} on knowledge_chunk (id)")


@pytest.fixture
def engine(settings):
    settings.CRMIND_RETRIEVAL = {"KEYWORD_ENGINE": "pg_textsearch"}


def asked(question):
    return read_words(question, languages=["english"])


def test_find_by_bm25__best_first_within_the_filters(castle, index):
    both = castle.add("both.txt", "The grail, the grail and a swallow.")
    result = find_by_bm25(asked("grail swallows"), filters=EVERYONE, depth=10)
    assert result.candidates[0].chunk_id == both.chunks.get().pk
    scores = [candidate.score for candidate in result.candidates]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0
    assert result.is_exact
    nobody = Filters(access_tags=frozenset({"nobody"}))
    assert find_by_bm25(asked("grail"), filters=nobody, depth=10).candidates == ()
    assert find_by_bm25(asked("zeppelin"), filters=EVERYONE, depth=10).candidates == ()


def test_read_words__identifiers_in_parts():
    assert "kx4471b" in asked("KX-4471-B").text.split()


def test_score_by_bm25__only_chunks_with_a_match(castle, index):
    ids = [castle.chunk_id("grail.txt"), castle.chunk_id("swallow.txt")]
    assert score_by_bm25(asked("grail"), ids).keys() == {castle.chunk_id("grail.txt")}
    assert score_by_bm25(asked("grail"), []) == {}


def test_search__asks_the_extension_where_the_setting_says_so(castle, index, engine, monkeypatch):
    def never(*_arguments, **_options):
        raise AssertionError

    monkeypatch.setattr("retrieval.arms.find_by_keyword", never)
    monkeypatch.setattr("retrieval.arms.score_by_keyword", never)
    result = castle.search("Where is the grail?")
    best = result.hits[0]
    assert best.evidence.external_id == "grail.txt"
    assert best.receipt.keyword_rank == 1
    assert result.warnings == ()


def test_search__without_the_index_answers_by_its_own_arm_and_says_so(castle, engine):
    result = castle.search("Where is the grail?")
    assert result.hits[0].evidence.external_id == "grail.txt"
    (warning,) = result.warnings
    assert warning == (
        "KEYWORD_ENGINE is pg_textsearch, but the database has no valid index chunk_bm25_english:"
        " `manage.py build_bm25` builds it. CRMind's own keyword arm answered."
    )


def test_settings__unknown_engine(settings):
    settings.CRMIND_RETRIEVAL = {"KEYWORD_ENGINE": "lucene"}
    message = "KEYWORD_ENGINE is 'lucene'; it may be 'crmind' or 'pg_textsearch'."
    with pytest.raises(ImproperlyConfigured, match=message):
        retrieval_settings()


def test_index_statement__one_partial_index_for_a_configuration():
    assert index_statement("english") == (
        'CREATE INDEX CONCURRENTLY "chunk_bm25_english" ON knowledge_chunk USING bm25'
        " ((prefix || ' ' || text || ' ' || extra_terms)) WITH (text_config = 'english')"
        " WHERE language = 'english'"
    )


def test_missing_indexes__by_name(castle, index):
    assert missing_indexes(["english", "german"]) == ["chunk_bm25_german"]


def test_build_bm25__says_what_the_server_lacks(castle):
    with pytest.raises(CommandError, match="The database has no extension pg_textsearch"):
        call_command("build_bm25")


def test_build_bm25__drop(castle, index):
    output = StringIO()
    call_command("build_bm25", "--drop", stdout=output)
    assert output.getvalue() == "Removed: chunk_bm25_english.\n"
    assert missing_indexes(["english"]) == ["chunk_bm25_english"]
