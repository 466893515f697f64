"""What searches use is read into memory."""

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


def test_warm_search__indexes_and_passages(books):
    names = [
        find_active_space().index_name,
        "chunk_search_vector",
        "chunk_repeated_terms",
        "knowledge_chunk",
    ]
    assert warm_search() == {name: size_of(name) for name in names}


def test_warm_search__only_what_has_room(books, monkeypatch):
    """Of shared buffers of 64 MB or more so small a share holds the passages, not the indexes."""
    passages = size_of("knowledge_chunk")
    with connection.cursor() as cursor:
        cursor.execute(warming.ROOM, [1])
        (buffers,) = cursor.fetchone()
    assert size_of("chunk_search_vector") > passages
    monkeypatch.setattr(warming, "SHARE", (passages + 1) / float(buffers))
    assert warm_search() == {"knowledge_chunk": passages}


def test_warm_search__nothing_is_there_yet(db):
    assert warm_search() == {}


def test_warm_search__a_database_without_the_extension(books, monkeypatch):
    monkeypatch.setattr(warming, "IS_AVAILABLE", "SELECT false")
    assert warm_search() == {}


def test_command__tells_what_was_read(books):
    output = StringIO()
    call_command("warm_search", stdout=output)
    assert "knowledge_chunk: 1 MB\n" in output.getvalue()


def test_command__tells_why_nothing_was_read(db):
    output = StringIO()
    call_command("warm_search", stdout=output)
    assert output.getvalue().startswith("Nothing was read: nothing is embedded yet")
