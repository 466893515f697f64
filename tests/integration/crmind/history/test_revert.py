"""Taking changes back: through the services, by those who may change."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from cachemgr.models import CachedResponse
from crmind.roles import CURATOR, VIEWER
from knowledge.history import acting_as
from knowledge.models import Document, Source
from knowledge.services import (
    delete_entity,
    retire_document,
    set_access_tags,
    update_entity,
    update_source,
    update_source_type,
)
from knowledge.services.decisions import set_entities, set_predecessor, set_validity
from retrieval.models import Intent, Synonym
from retrieval.services import save_profile
from tests.factories.cachemgr import CachedCitationFactory
from tests.factories.knowledge import (
    ChunkFactory,
    DocumentFactory,
    EntityFactory,
    SourceFactory,
    SourceTypeFactory,
)
from tests.factories.retrieval import IntentFactory, RankingProfileFactory, SynonymFactory
from tests.factories.staff import StaffFactory

pytestmark = pytest.mark.django_db


def latest(row, **conditions):
    return type(row).history.filter(**{"id": row.pk, **conditions}).first()


def address(record):
    label = record.instance_type._meta.label_lower.replace(".", "/")
    return f"/admin/changes/{label}/{record.history_id}/"


@pytest.fixture
def curator(client):
    client.force_login(StaffFactory(role=CURATOR, username="iris"))
    return client


@pytest.fixture
def take_back(curator):
    """Confirm the page of a change, as a curator does."""

    def run(record):
        page = curator.get(address(record))
        assert page.status_code == 200
        return curator.post(address(record), {"seen": page.context["plan"].seen}, follow=True)

    return run


def test_revert__sets_the_trust_back_and_withdraws_answers(curator, take_back):
    chunk = ChunkFactory(document__source__trust=0.7)
    source = chunk.document.source
    update_source(source=source, trust=0.4)
    CachedCitationFactory(chunk=chunk)
    record = latest(source)

    page = curator.get(address(record)).content.decode()
    assert "Trust" in page
    assert Source.objects.get(pk=source.pk).trust == 0.4

    response = take_back(record)

    assert response.redirect_chain[-1][0] == f"/admin/knowledge/source/{source.pk}/history/"
    assert Source.objects.get(pk=source.pk).trust == 0.7
    assert CachedResponse.objects.get().invalidation_reason == "trust_changed"
    reverted = latest(source)
    assert reverted.history_by == "iris"
    assert reverted.history_change_reason.startswith("Took back the change of ")
    assert [(each["old"], each["new"]) for each in reverted.history_changes] == [(0.4, 0.7)]


def test_revert__brings_a_switched_off_source_back_into_search(take_back):
    chunk = ChunkFactory()
    update_source(source=chunk.source, enabled=False)
    chunk.refresh_from_db()
    assert not chunk.is_active

    take_back(latest(chunk.source))

    chunk.refresh_from_db()
    assert chunk.is_active


def test_revert__only_what_that_change_changed(curator, take_back):
    source = SourceFactory(name="Press", trust=0.7)
    update_source(source=source, trust=0.4, location="/srv/press")
    record = latest(source)
    update_source(source=source, name="Trade press")

    take_back(record)

    source.refresh_from_db()
    assert (source.name, source.trust, source.location) == ("Trade press", 0.7, "")


def test_revert__says_what_was_changed_again_since(curator):
    source = SourceFactory(trust=0.7)
    update_source(source=source, trust=0.4)
    record = latest(source)
    update_source(source=source, trust=0.5)

    (step,) = curator.get(address(record)).context["plan"].steps

    assert (step.now, step.then, step.is_changed_since) == ("0.5", "0.7", True)


def test_revert__of_a_page_that_is_out_of_date_changes_nothing(curator):
    source = SourceFactory(trust=0.7)
    update_source(source=source, trust=0.4)
    record = latest(source)
    seen = curator.get(address(record)).context["plan"].seen
    update_source(source=source, trust=0.6)

    response = curator.post(address(record), {"seen": seen}, follow=True)

    assert "changed by somebody else meanwhile" in response.content.decode()
    assert Source.objects.get().trust == 0.6


def test_revert__what_a_rule_forbids_is_told(take_back):
    source = SourceFactory(name="Press")
    update_source(source=source, name="Trade press")
    record = latest(source)
    SourceFactory(name="press")

    response = take_back(record)

    assert "There is a source of this name already." in response.content.decode()
    assert Source.objects.get(pk=source.pk).name == "Trade press"


def test_revert__of_a_relation_whose_other_side_is_gone(take_back):
    former = SourceTypeFactory(slug="wire")
    source = SourceFactory(source_type=former)
    update_source(source=source, source_type=SourceTypeFactory(slug="mail"))
    former.delete()

    response = take_back(latest(source))

    assert "“Wire” was deleted meanwhile; choose another." in response.content.decode()


def test_revert__documents(take_back):
    document = DocumentFactory(
        source__access_tags=["sales"], access_tags=["sales"], chunk_count=1, trust=None
    )
    with acting_as(StaffFactory()):
        set_access_tags(document=document, access_tags=["everyone"])
        tags = latest(document)
        retire_document(document=document)

    take_back(latest(document))
    take_back(tags)

    document.refresh_from_db()
    assert document.status == "ready"
    assert (document.access_tags, document.has_own_access_tags) == (["sales"], False)


def test_revert__what_a_document_is_about_in_one_step(take_back):
    document = DocumentFactory()
    first, second = EntityFactory(name="Camelot"), EntityFactory(name="Aaargh")
    document.entities.set([first])
    with acting_as(StaffFactory()):
        set_entities(document=document, entities=[second])
    record = latest(document)
    assert [(each["old_words"], each["new_words"]) for each in record.history_changes] == [
        ("Camelot", "Aaargh"),
        ("no", "yes"),
    ]

    take_back(record)

    document.refresh_from_db()
    assert list(document.entities.all()) == [first]
    assert not document.has_own_entities


def test_revert__validity_goes_back_to_what_the_source_said(take_back):
    said, set_by_hand = datetime(2031, 1, 1, tzinfo=UTC), datetime(2032, 1, 1, tzinfo=UTC)
    document = DocumentFactory(valid_until=said)
    with acting_as(StaffFactory()):
        set_validity(document=document, valid_until=set_by_hand)

    take_back(latest(document))

    document.refresh_from_db()
    assert (document.valid_until, document.has_own_validity) == (said, False)


def test_revert__replacing_a_document(take_back):
    said, published = datetime(2031, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
    oldest, old = DocumentFactory(), DocumentFactory(valid_until=said)
    new = DocumentFactory(published_at=published, supersedes=oldest)
    with acting_as(StaffFactory()):
        set_predecessor(document=new, predecessor=old, now=timezone.now())
    old.refresh_from_db()
    assert old.valid_until == published

    take_back(latest(new))

    for row in (new, old, oldest):
        row.refresh_from_db()
    assert (new.supersedes, old.valid_until) == (oldest, said)
    assert oldest.valid_until == published


def test_revert__never_closes_a_circle(take_back):
    old = DocumentFactory()
    new = DocumentFactory(supersedes=old)
    with acting_as(StaffFactory()):
        set_predecessor(document=new, predecessor=None, now=timezone.now())
        record = latest(new)
        set_predecessor(document=old, predecessor=new, now=timezone.now())

    response = take_back(record)

    assert "each would replace the other" in response.content.decode()
    assert Document.objects.get(pk=new.pk).supersedes is None


def test_revert__profiles_types_entities_and_words(take_back):
    profile, kind = RankingProfileFactory(trust_weight=0.2), SourceTypeFactory(authority=0.6)
    entity, synonym = EntityFactory(aliases=["HP"]), SynonymFactory(terms=["cup", "grail"])
    intent = IntentFactory()
    intent.preferred_types.set([kind])
    save_profile(profile=profile, changes={"trust_weight": 0.9})
    update_source_type(source_type=kind, authority=0.1)
    update_entity(entity=entity, aliases=[])
    synonym.terms = ["cup", "mug"]
    synonym.save()
    intent.preferred_types.clear()
    intent.preferred_types.add(SourceTypeFactory(slug="mail"))
    intent.preferred_types.remove(SourceTypeFactory(slug="mail"))

    for row in (profile, kind, entity, synonym, intent):
        take_back(latest(row))
        row.refresh_from_db()

    assert profile.trust_weight == 0.2
    assert profile.version == 3
    assert kind.authority == 0.6
    assert entity.aliases == ["HP"]
    assert synonym.terms == ["cup", "grail"]
    assert [each.slug for each in intent.preferred_types.all()] == ["mail"]


def test_bring_back__what_was_deleted_with_its_relations(take_back):
    entity = EntityFactory(name="Hollis", aliases=["HP"])
    intent = IntentFactory(label="Prices")
    intent.preferred_types.add(SourceTypeFactory(slug="mail"))
    keys = entity.pk, intent.pk
    delete_entity(entity=entity)
    Intent.objects.get(pk=intent.pk).delete()
    entity.pk, intent.pk = keys

    take_back(latest(entity, history_type="-"))
    response = take_back(latest(intent, history_type="-"))

    entity.refresh_from_db()
    intent.refresh_from_db()
    assert (entity.name, entity.aliases, intent.label) == ("Hollis", ["HP"], "Prices")
    assert [each.slug for each in intent.preferred_types.all()] == ["mail"]
    assert "the change was taken back" in response.content.decode()


def test_bring_back__a_profile_and_a_kind_of_source_by_who_may_add_them(client):
    profile = RankingProfileFactory(trust_weight=0.25)
    kind = SourceTypeFactory(slug="mail")
    keys = profile.pk, kind.pk
    profile.delete()
    kind.delete()
    client.force_login(StaffFactory(role=CURATOR))
    profile.pk, kind.pk = keys

    for row in (profile, kind):
        client.post(address(latest(row, history_type="-")), {"seen": "deleted"})

    profile.refresh_from_db()
    kind.refresh_from_db()
    assert (profile.trust_weight, kind.slug) == (0.25, "mail")


def test_bring_back__twice_is_told(curator, take_back):
    synonym = SynonymFactory()
    key = synonym.pk
    synonym.delete()
    synonym.pk = key
    record = latest(synonym, history_type="-")
    take_back(record)

    page = curator.get(address(record)).content.decode()

    assert "nothing tells what was before" in page
    assert Synonym.objects.count() == 1


def test_revert__viewers_and_strangers_are_refused(client):
    source = SourceFactory(trust=0.7)
    update_source(source=source, trust=0.4)
    url = address(latest(source))

    for person, status in ((StaffFactory(role=VIEWER), 403), (StaffFactory(), 403)):
        client.force_login(person)
        assert client.get(url).status_code == client.post(url).status_code == status
    client.logout()
    assert client.post(url).status_code == 302
    assert Source.objects.get().trust == 0.4
    assert User.objects.exists()


def test_revert__of_nothing(curator):
    for url in ("knowledge/source/999", "knowledge/nonsense/1", "auth/user/1", "no/such/1"):
        assert curator.get(f"/admin/changes/{url}/").status_code == 404
