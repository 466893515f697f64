"""What searches use is read into memory."""

import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from knowledge.services import warming
from knowledge.services.spaces import find_active_space
from knowledge.services.warming import warm_search

pytestmark = pytest.mark.django_db


@pytest.fixture
def books(shelf):
    return [shelf.store(f"{number}.txt", f"Book {number} of the library.") for number in range(3)]


def size_of(name):
    with connection.cursor() as cursor:
        cursor.execute("select pg_relation_size(to_regclass(%s))", [name])
        return cursor.fetchone()[0]


NAMES = (
    *("chunk_search_vector", "chunk_repeated_terms", "chunkembedding_unique"),
    *("knowledge_chunk", "knowledge_chunk_pkey", "knowledge_document", "knowledge_document_pkey"),
    "knowledge_chunkembedding",
)


def test_warm_search__indexes_passages_texts_and_vectors(books):
    names = [find_active_space().index_name, *NAMES]
    read = warm_search()
    assert read.pop("texts") >= 0
    assert read == {name: size_of(name) for name in names}


def test_warm_search__what_has_no_room_goes_to_the_cache_of_the_system(books, monkeypatch):
    everything = warm_search()
    statements = []
    monkeypatch.setattr(warming, "SHARE", 0)
    with connection.execute_wrapper(noting(statements)):
        assert warm_search() == everything
    modes = [parameters[1] for sql, parameters in statements if sql == warming.READ]
    sizes = list(everything.values())
    assert modes == ["read" if size else "buffer" for size in sizes]


def noting(statements):
    def wrapper(execute, sql, params, many, context):
        statements.append((sql, params))
        return execute(sql, params, many, context)

    return wrapper


def test_warm_search__nothing_is_there_yet(db):
    assert warm_search() == {}


def test_warm_search__a_database_without_the_extension(books, monkeypatch):
    monkeypatch.setattr(warming, "IS_AVAILABLE", "SELECT false")
    assert warm_search() == {}


def test_command__tells_what_was_read(books):
    output = StringIO()
    call_command("warm_search", stdout=output)
    assert re.search(r"^knowledge_chunk: \d+ MB$", output.getvalue(), re.MULTILINE)


def test_command__tells_why_nothing_was_read(db):
    output = StringIO()
    call_command("warm_search", stdout=output)
    assert output.getvalue().startswith("Nothing was read: nothing is embedded yet")
