"""What is recorded of a change, and what is not."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from knowledge.history import acting_as, because
from knowledge.models import Chunk, Document, Entity, Source, SourceType
from knowledge.services import (
    delete_entity,
    retire_document,
    set_document_trust,
    update_entity,
    update_source,
    update_source_type,
)
from retrieval.models import RankingProfile
from retrieval.services import save_profile
from tests.factories.knowledge import ChunkFactory, DocumentFactory, EntityFactory, SourceFactory
from tests.factories.retrieval import IntentFactory, RankingProfileFactory
from tests.factories.staff import StaffFactory

pytestmark = pytest.mark.django_db


def recorded(row):
    """Return the changes of a row as people read them, oldest first."""
    return [
        [(each["label"], each["old_words"], each["new_words"]) for each in record.history_changes]
        for record in reversed(type(row).history.filter(**{type(row)._meta.pk.attname: row.pk}))
    ]


def test_source__each_change_in_words_with_its_author_and_reason():
    source = SourceFactory(name="Trade press", trust=0.7)
    person = StaffFactory(username="iris")

    with acting_as(person), because("The editor left."):
        update_source(source=source, trust=0.4, access_tags=["sales", "everyone"], enabled=False)

    assert recorded(source)[1:] == [
        [
            ("Trust", "0.7", "0.4"),
            ("Searched", "yes", "no"),
            ("Access tags", "everyone", "everyone, sales"),
        ]
    ]
    record = Source.history.filter(id=source.pk).first()
    assert (record.history_name, record.history_by) == ("Trade press", "iris")
    assert (record.history_user, record.history_change_reason) == (person, "The editor left.")
    assert record.trust == 0.4


def test_source__a_relation_is_named_and_a_program_has_no_author():
    source = SourceFactory(source_type__slug="blog_post")
    news = SourceType.objects.create(
        slug="news", label="News desk", authority=0.9, half_life_days=30
    )

    update_source(source=source, source_type=news)

    assert recorded(source)[-1] == [("Source type", "Blog post", "News desk")]
    assert Source.history.first().history_by == ""


def test_save__without_a_difference_leaves_no_row():
    entity, source, kind = EntityFactory(), SourceFactory(), SourceFactory().source_type

    update_entity(entity=entity, name=entity.name)
    update_source(source=source, trust=source.trust)
    update_source_type(source_type=kind, authority=kind.authority)
    Source.objects.get(pk=source.pk).save()

    assert [len(recorded(row)) for row in (entity, source, kind)] == [1, 1, 1]


def test_change_and_record__both_or_neither():
    source = SourceFactory(trust=0.5)
    count = Source.history.count()

    with transaction.atomic():
        update_source(source=source, trust=0.9)
        transaction.set_rollback(True)
    assert (Source.objects.get().trust, Source.history.count()) == (0.5, count)

    # The record cannot be written: the change is not made either.
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute("alter table knowledge_historicalsource add check (trust < 0.8)")
    with pytest.raises(DatabaseError), transaction.atomic():
        update_source(source=source, trust=0.9)
    assert (Source.objects.get().trust, Source.history.count()) == (0.5, count)


def test_document__only_what_people_decide():
    document = DocumentFactory(trust=None)

    set_document_trust(document=document, trust=0.3)
    assert recorded(document) == []

    with acting_as(StaffFactory()):
        set_document_trust(document=document, trust=0.2)
        retire_document(document=document, reason="Withdrawn by the author.")
        document.refresh_from_db()
        document.status, document.warnings = "ready", ["odd date"]
        document.save()
        document.status, document.status_reason = "failed", "The PDF is locked."
        document.save()
        document.entities.add(EntityFactory(name="Hollis"))

    assert recorded(document) == [
        [("Trust", "0.3", "0.2")],
        [("Status", "Ready", "Retired"), ("Status reason", "empty", "Withdrawn by the author.")],
        [("Status", "Retired", "Ready")],
        [("Entities", "empty", "Hollis")],
    ]


def test_document__ingestion_asks_and_writes_nothing_for_the_history(shelf):
    shelf.store("first.txt", "It makes the space of the embedding model, which has a history.")
    with CaptureQueriesContext(connection) as queries:
        for number in range(3):
            shelf.store(f"{number}.txt", "The grail is in the castle.")

    assert Document.objects.count() == 4
    assert Chunk.objects.exists()
    assert not [each["sql"] for each in queries if "historical" in each["sql"]]


def test_relation__of_many_is_recorded_with_all_names():
    intent = IntentFactory()
    kinds = [
        SourceType.objects.create(slug=name, label=name, authority=0.5, half_life_days=1)
        for name in ("news", "mail")
    ]

    intent.preferred_types.set(kinds)
    intent.preferred_types.remove(kinds[1])

    assert recorded(intent)[1:] == [
        [("Preferred types", "empty", "news, mail")],
        [("Preferred types", "news, mail", "news")],
    ]


def test_default_profile__the_former_one_has_a_record_of_losing_its_place():
    former = RankingProfileFactory(status="published", is_default=True)
    later = RankingProfileFactory(status="published")

    save_profile(profile=later, changes={"is_default": True})

    assert recorded(former)[-1] == [("Is default", "yes", "no")]
    assert RankingProfile.objects.get(is_default=True) == later


def test_deletion__keeps_the_values_and_the_name():
    entity = EntityFactory(name="Hollis", aliases=["HP"])
    key = entity.pk

    delete_entity(entity=entity)

    record = Entity.history.get(id=key, history_type="-")
    assert (record.history_name, record.aliases) == ("Hollis", ["HP"])


def test_chunk__rows_written_in_bulk_have_none():
    assert Chunk.history.count() == 0
    ChunkFactory()
    assert Chunk.history.count() == 0
