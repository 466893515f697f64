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
    """One byte less than all of it needs: something is left out, and nothing in part."""
    everything = warm_search()
    with connection.cursor() as cursor:
        cursor.execute(warming.ROOM, [1])
        (buffers,) = cursor.fetchone()
    room = sum(everything.values()) - 1
    monkeypatch.setattr(warming, "SHARE", room / float(buffers))
    read = warm_search()
    assert 0 < len(read) < len(everything)
    assert sum(read.values()) <= room
    assert read.items() <= everything.items()


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
