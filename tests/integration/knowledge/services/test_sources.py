"""Writes of sources and their types."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crmind.exceptions import InvalidInputError
from knowledge.exceptions import UnknownSourceError, UnknownSourceTypeError
from knowledge.models import Chunk, ChunkEmbedding, Document, IngestionRun, RunTrigger, Source
from knowledge.services import (
    create_source,
    create_source_type,
    delete_source,
    ensure_source,
    find_source_type,
    get_source,
    update_source,
    update_source_type,
)
from knowledge.services.runs import create_run
from knowledge.signals import ChangeReason, ContentChange
from tests.factories.knowledge import SourceFactory, SourceTypeFactory


def test_get_source__in_either_case(seeded):
    source = SourceFactory(name="Trade Press")

    assert get_source(" trade press ") == source
    with pytest.raises(UnknownSourceError, match="There is no source 'press'"):
        get_source("press")


def test_find_source_type__unknown_slug_names_the_known(seeded):
    assert find_source_type("").slug == "unknown"
    with pytest.raises(UnknownSourceTypeError, match=r"'leaflet'\. Use one of: blog_post, "):
        find_source_type("leaflet")


def test_find_source_type__fresh_database(db):
    assert find_source_type("news_article").authority == 0.9


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x", "trust": 1.2}, "trust"),
        ({"name": "x", "language": "klingon"}, "language"),
        ({"name": "x", "access_tags": []}, "access_tags"),
        ({"name": "x", "access_tags": ["No Spaces"]}, "access_tags"),
        ({"name": "x", "health": "ok"}, "health"),
        ({"name": "x" * 201}, "name"),
    ],
)
def test_create_source__names_the_field(seeded, values, field):
    with pytest.raises(InvalidInputError, match=f"^{field}: ") as caught:
        create_source(**values)

    assert caught.value.field == field
    assert not Source.objects.exists()


def test_create_source__name_taken(seeded):
    create_source(name="Trade Press", language="de")

    with pytest.raises(InvalidInputError):
        create_source(name="trade press")

    assert Source.objects.get().language == "german"


def test_ensure_source__keeps_what_curators_set(seeded):
    made = ensure_source(name="press", type_slug="news_article", access_tags=["sales"])
    update_source(source=made, trust=0.2)

    again = ensure_source(name="PRESS", type_slug="blog_post", access_tags=["board"])

    assert again.pk == made.pk
    assert (again.trust, again.access_tags) == (0.2, ["sales"])
    assert again.source_type.slug == "news_article"


def test_update_source__reaches_chunks_at_once(shelf, changes):
    news = SourceTypeFactory(slug="news_article")
    shelf.store("a.md", "Blue lantern policy")
    shelf.store("b.md", "Board only", access_tags=("board",), source_type="blog_post")
    changes.clear()

    source = update_source(
        source=shelf.source, trust=0.2, access_tags=["sales"], enabled=False, source_type=news
    )

    chunk, restricted = Chunk.objects.order_by("document__external_id")
    assert (source.trust, chunk.access_tags, chunk.is_active) == (0.2, ["sales"], False)
    assert chunk.source_type == news
    assert Document.objects.get(external_id="a.md").access_tags == ["sales"]
    assert (restricted.access_tags, restricted.is_active) == (["board"], False)
    assert restricted.source_type.slug == "blog_post"
    assert changes == [
        ContentChange(reason=reason, source_id=source.pk)
        for reason in (ChangeReason.TRUST, ChangeReason.ACCESS, ChangeReason.RETIRED)
    ]


def test_update_source__enabling_brings_back_what_is_not_switched_off(shelf, changes):
    shelf.store("a.md", "Blue lantern policy")
    update_source(source=shelf.source, enabled=False)
    Chunk.objects.update(is_switched_off=True)

    update_source(source=shelf.source, enabled=True)
    assert not Chunk.objects.get().is_active

    assert changes[-1].reason == ChangeReason.RESTORED


def test_update_source__nothing_changed_says_nothing(shelf, changes):
    update_source(source=shelf.source, trust=shelf.source.trust)

    assert changes == []


def test_update_source__a_wrong_value_changes_nothing(shelf):
    shelf.store("a.md", "Blue lantern policy")

    with pytest.raises(InvalidInputError, match=r"^trust: "):
        update_source(source=shelf.source, trust=7, access_tags=["sales"])

    assert Chunk.objects.get().access_tags == ["everyone"]


def test_update_source__language_counts_from_the_next_reindexing(shelf):
    shelf.store("a.md", "Blue lantern policy")

    update_source(source=shelf.source, language="de")

    assert Document.objects.get().language == "german"
    assert Chunk.objects.get().language == "english"


def test_update_source__one_statement_however_many_chunks(shelf):
    for number in range(5):
        shelf.store(f"{number}.md", f"Policy {number}")

    with CaptureQueriesContext(connection) as queries:
        update_source(source=shelf.source, access_tags=["sales"])

    written = [query["sql"] for query in queries if "UPDATE knowledge_chunk" in query["sql"]]
    assert len(written) == 1
    assert list(Chunk.objects.values_list("access_tags", flat=True)) == [["sales"]] * 5


def test_delete_source__takes_everything(shelf, changes):
    shelf.store("a.md", "Blue lantern policy")
    create_run(source=shelf.source, trigger=RunTrigger.COMMAND)
    source_id = shelf.source.pk
    changes.clear()

    delete_source(source=shelf.source)

    assert changes == [ContentChange(reason=ChangeReason.REMOVED, source_id=source_id)]
    for model in (Source, Document, Chunk, ChunkEmbedding, IngestionRun):
        assert not model.objects.exists()


def test_update_source_type__announces_for_each_source(seeded, changes):
    source = SourceFactory()
    source_type = source.source_type

    update_source_type(source_type=source_type, half_life_days=10.0)
    assert changes == []
    update_source_type(source_type=source_type, authority=0.1)

    assert changes == [ContentChange(reason=ChangeReason.TRUST, source_id=source.pk)]
    with pytest.raises(InvalidInputError, match=r"^authority: "):
        update_source_type(source_type=source_type, authority=2.0)


def test_create_source_type__names_the_field(db):
    made = create_source_type(slug="memo", label="Memo", authority=0.5, half_life_days=30.0)

    assert made.pk
    with pytest.raises(InvalidInputError, match=r"^half_life_days: "):
        create_source_type(slug="memo2", label="Memo", authority=0.5, half_life_days=0.0)
