"""Sources in the admin: trust in the list, reindexing, switching off."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django_q.models import OrmQ

from knowledge.models import IngestionRun, Source
from knowledge.signals import ChangeReason, content_changed
from tests.factories.knowledge import ChunkFactory, SourceFactory

LIST = "/admin/knowledge/source/"


@pytest.fixture
def changes():
    """Collect the changes that knowledge announces."""
    heard = []

    def hear(change, **_):
        heard.append(change)

    content_changed.connect(hear)
    yield heard
    content_changed.disconnect(hear)


def edited_list(source, **values):
    return {
        "form-TOTAL_FORMS": "1",
        "form-INITIAL_FORMS": "1",
        "form-0-id": source.pk,
        "form-0-trust": source.trust,
        "form-0-authority_override": "",
        "_save": "Save",
        **{f"form-0-{name}": value for name, value in values.items()},
    }


def chosen(action, *sources, **more):
    return {"action": action, "_selected_action": [source.pk for source in sources], **more}


def test_list__trust_is_saved_and_announced(curator, changes):
    source = SourceFactory(trust=0.5)

    response = curator.post(LIST, edited_list(source, trust="0.9", authority_override="0.4"))

    assert response.status_code == 302
    source.refresh_from_db()
    assert (source.trust, source.authority_override) == (0.9, 0.4)
    assert [(change.reason, change.source_id) for change in changes] == [
        (ChangeReason.TRUST, source.pk)
    ]
    assert LogEntry.objects.get().object_id == str(source.pk)


def test_list__trust_outside_its_range_is_refused_at_its_field(curator):
    source = SourceFactory(trust=0.5)

    response = curator.post(LIST, edited_list(source, trust="1.5"))

    assert response.status_code == 200
    assert "Ensure this value is less than or equal to 1.0." in response.content.decode()
    assert Source.objects.get().trust == 0.5


def test_list__viewers_may_not_save(viewer):
    source = SourceFactory(trust=0.5)

    assert viewer.post(LIST, edited_list(source, trust="0.9")).status_code == 403
    assert Source.objects.get().trust == 0.5
    assert 'name="form-0-trust"' not in viewer.get(LIST).content.decode()


def test_list__counts_of_documents(curator):
    chunk = ChunkFactory(document__status="failed", document__status_reason="The PDF is locked.")

    page = curator.get(LIST).content.decode()

    assert f'?source__id__exact={chunk.source_id}" class="text-link">1</a>' in page
    assert (
        f'?source__id__exact={chunk.source_id}&amp;trouble=yes" class="crmind-trouble">1</a>'
        in (page)
    )


def test_reindex__starts_a_run_for_each_source_and_links_to_it(
    curator, django_capture_on_commit_callbacks
):
    sources = [SourceFactory(), SourceFactory()]

    with django_capture_on_commit_callbacks(execute=True):
        response = curator.post(LIST, chosen("reindex", *sources), follow=True)

    runs = IngestionRun.objects.order_by("source_id")
    assert [run.source for run in runs] == sources
    assert {run.requested_by.username for run in runs} == {response.wsgi_request.user.username}
    page = response.content.decode()
    for run in runs:
        assert f'<a href="/admin/knowledge/ingestionrun/{run.pk}/change/"' in page
    assert OrmQ.objects.count() == 2


def test_reindex__viewers_may_not(viewer):
    source = SourceFactory()

    viewer.post(LIST, chosen("reindex", source))

    assert not IngestionRun.objects.exists()
    detail = reverse("admin:knowledge_source_reindex_this", args=[source.pk])
    assert viewer.post(detail).status_code == 403


def test_reindex_this__asks_before_it_starts(curator):
    source = SourceFactory()
    url = reverse("admin:knowledge_source_reindex_this", args=[source.pk])

    question = curator.get(url)
    assert question.status_code == 200
    assert "Reindex this source?" in question.content.decode()
    assert not IngestionRun.objects.exists()

    answer = curator.post(url, {"_form_submitted": "True"}, headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == f"/admin/knowledge/source/{source.pk}/change/"
    assert IngestionRun.objects.get().source == source


def test_switch_off__asks_and_then_takes_the_chunks_out_of_search(curator, changes):
    chunk = ChunkFactory()

    question = curator.post(LIST, chosen("switch_off", chunk.source))
    assert "Switch off these sources?" in question.content.decode()
    assert chunk.source.name in question.content.decode()
    chunk.refresh_from_db()
    assert chunk.is_active

    curator.post(LIST, chosen("switch_off", chunk.source, confirmed="yes"))
    chunk.refresh_from_db()
    assert not chunk.is_active
    assert not chunk.source.enabled
    assert changes[-1].reason == ChangeReason.RETIRED

    curator.post(LIST, chosen("switch_on", chunk.source))
    chunk.refresh_from_db()
    assert chunk.is_active


def test_add__creates_a_source_with_its_columns(curator):
    kind = SourceFactory().source_type

    response = curator.post(
        "/admin/knowledge/source/add/",
        {
            "name": "Pipedrive",
            "source_type": kind.pk,
            "connector": "export",
            "location": "/srv/deals.csv",
            "mapping": "title = Deal\n\ntext = Notes",
            "trust": "0.8",
            "authority_override": "",
            "access_tags": "sales, everyone",
            "enabled": "on",
            "language": "german",
        },
    )

    assert response.status_code == 302
    source = Source.objects.get(name="Pipedrive")
    assert source.mapping == {"title": "Deal", "text": "Notes"}
    assert source.access_tags == ["everyone", "sales"]
    assert (source.language, source.trust) == ("german", 0.8)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("mapping", "title Headline", "Write “title Headline” as: field = column"),
        ("access_tags", "Sales Team", "An access tag is made of lower-case letters"),
        ("trust", "-1", "greater than or equal to 0.0"),
        ("name", "Camelot", "Constraint “source_name_unique” is violated."),
    ],
)
def test_change__what_is_wrong_is_told_at_its_field(curator, field, value, words):
    SourceFactory(name="camelot")
    source = SourceFactory(name="Round table", mapping={})
    form = {
        "name": source.name,
        "source_type": source.source_type_id,
        "connector": "export",
        "mapping": "",
        "trust": "0.7",
        "access_tags": "everyone",
        "enabled": "on",
        "language": "english",
        field: value,
    }

    response = curator.post(f"/admin/knowledge/source/{source.pk}/change/", form)

    assert response.status_code == 200
    assert words in response.content.decode()
    assert Source.objects.get(pk=source.pk).name == "Round table"
