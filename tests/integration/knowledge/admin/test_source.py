"""Sources in the admin: trust in the list, reindexing, switching off."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone
from django_q.models import OrmQ

from knowledge.history import acting_as
from knowledge.models import IngestionRun, Source
from knowledge.services import update_source
from knowledge.signals import ChangeReason, content_changed
from tests.factories.cachemgr import CachedCitationFactory
from tests.factories.knowledge import ChunkFactory, DocumentFactory, SourceFactory
from tests.factories.staff import StaffFactory

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


def test_check_now__reads_it_again_or_says_why_not(curator, tmp_path):
    folder = SourceFactory(connector="folder", location=str(tmp_path))
    pushed = SourceFactory(connector="push", location="")

    page = curator.post(LIST, chosen("check_now", folder, pushed), follow=True).content.decode()

    run = IngestionRun.objects.get()
    assert (run.source, run.kind, run.trigger) == (folder, "refresh", "admin")
    assert f"/admin/knowledge/ingestionrun/{run.pk}/change/" in page
    assert f"{pushed.name}: " in page


def test_retire__tells_what_stops_answering_and_then_takes_it_out_of_search(curator, changes):
    chunk = ChunkFactory(document__chunk_count=1)
    CachedCitationFactory(chunk=chunk)
    DocumentFactory(source=chunk.source, status="retired", chunk_count=9)
    DocumentFactory(source=chunk.source, status="failed", status_reason="Locked.")

    question = curator.post(LIST, chosen("retire", chunk.source)).content.decode()
    assert chunk.source.name in question
    assert "1 document with 1 passage will no longer be searched, and 1 cached answer" in question
    chunk.refresh_from_db()
    assert chunk.is_active

    curator.post(LIST, chosen("retire", chunk.source, confirmed="yes"))
    chunk.refresh_from_db()
    assert not chunk.is_active
    assert not chunk.source.enabled
    assert changes[-1].reason == ChangeReason.RETIRED

    curator.post(LIST, chosen("bring_back", chunk.source))
    chunk.refresh_from_db()
    assert chunk.is_active


def test_retire_this__asks_on_its_own_page(curator):
    source = SourceFactory()
    url = reverse("admin:knowledge_source_retire_this", args=[source.pk])

    assert "0 documents with 0 passages" in curator.get(url).content.decode()
    assert Source.objects.get().enabled
    assert curator.post(url, {"confirmed": "yes"}).url.endswith(f"/{source.pk}/change/")
    assert not Source.objects.get().enabled


def test_form__retires_nothing_without_the_question(curator):
    source = SourceFactory(mapping={})
    url = f"/admin/knowledge/source/{source.pk}/change/"
    sent = shown(curator, url)
    assert "enabled" not in sent
    assert curator.post(url, {**sent, "name": "Press", "enabled": ""}).status_code == 302
    source.refresh_from_db()
    assert (source.name, source.enabled) == ("Press", True)


def test_pause_and_resume__leave_the_documents_searched(curator):
    chunk = ChunkFactory()
    for name, is_paused in (("pause", True), ("resume", False)):
        curator.post(LIST, chosen(name, chunk.source))
        chunk.refresh_from_db()
        assert (chunk.source.is_paused, chunk.is_active) == (is_paused, True)
    offered = curator.get(f"/admin/knowledge/source/{chunk.source_id}/change/").content.decode()
    assert f"/{chunk.source_id}/pause/" in offered
    assert f"/{chunk.source_id}/resume/" not in offered


def test_forget_answers__those_that_cite_it_lose_their_text(curator):
    cited, other = CachedCitationFactory(), CachedCitationFactory()
    source = Source.objects.get(pk=cited.source_id)

    question = curator.post(LIST, chosen("forget_answers", source)).content.decode()
    assert "1 cached answer will not be served again" in question
    curator.post(LIST, chosen("forget_answers", source, confirmed="yes"))

    forgotten, kept = cited.response, other.response
    forgotten.refresh_from_db()
    kept.refresh_from_db()
    assert (forgotten.invalidation_reason, forgotten.answer) == ("forgotten", "")
    assert (kept.invalidated_at, kept.answer) == (None, "In the castle [1].")


@pytest.mark.parametrize("name", ["check_now", "pause", "retire", "bring_back", "forget_answers"])
def test_actions__viewers_may_not(viewer, name):
    source = SourceFactory()
    viewer.post(LIST, chosen(name, source, confirmed="yes"))
    url = reverse(f"admin:knowledge_source_{name}_this", args=[source.pk])
    assert viewer.post(url, {"confirmed": "yes"}).status_code == 403
    source.refresh_from_db()
    assert (source.enabled, source.is_paused) == (True, False)
    assert not IngestionRun.objects.exists()


def test_page__figures_of_the_stock(curator):
    now = timezone.now()
    chunk = ChunkFactory(document__chunk_count=7, document__published_at=now - timedelta(days=10))
    DocumentFactory(source=chunk.source, published_at=now - timedelta(days=30), chunk_count=5)

    page = curator.get(f"/admin/knowledge/source/{chunk.source_id}/change/").content.decode()

    assert ">12<" in page.replace("\n", "").replace(" ", "")
    assert "newest 1 week ago; 20 days on average" in page.replace("\xa0", " ")


def shown(client, url):
    """Return what a browser would send back of the form at `url`."""
    form = client.get(url).context["adminform"].form
    sent = {}
    for name in form.fields:
        field = form[name]
        value = field.field.prepare_value(field.value())
        sent[name] = sent[f"initial-{name}"] = "" if value in (None, False) else value
    sent["mapping"] = sent["initial-mapping"] = ""
    return sent


def test_change__two_people_who_edit_different_fields_lose_nothing(curator):
    source = SourceFactory(name="Press", trust=0.7, mapping={})
    url = f"/admin/knowledge/source/{source.pk}/change/"
    mine = shown(curator, url)
    update_source(source=source, trust=0.4, access_tags=["sales"])

    response = curator.post(url, {**mine, "name": "Trade press"})

    assert response.status_code == 302
    source.refresh_from_db()
    assert (source.name, source.trust, source.access_tags) == ("Trade press", 0.4, ["sales"])


def test_change__two_people_who_edit_one_field_are_told(curator):
    source = SourceFactory(trust=0.7, mapping={})
    url = f"/admin/knowledge/source/{source.pk}/change/"
    mine = {**shown(curator, url), "trust": "0.9"}
    with acting_as(StaffFactory(username="mara")):
        update_source(source=source, trust=0.4)

    told = curator.post(url, mine)

    assert told.status_code == 200
    assert "Changed to “0.4” meanwhile by mara at" in told.content.decode()
    assert Source.objects.get().trust == 0.4

    form = told.context["adminform"].form
    again = curator.post(url, {**mine, "initial-trust": form.data["initial-trust"]})
    assert again.status_code == 302
    assert Source.objects.get().trust == 0.9


def test_list__two_people_who_edit_one_number_are_told(curator):
    source = SourceFactory(trust=0.7)
    mine = edited_list(source, trust="0.9") | {
        "initial-form-0-trust": "0.7",
        "form-0-initial-trust": "0.7",
    }
    page = curator.get(LIST).content.decode()
    assert (
        'value="0.7" id="initial-form-0-id_form-0-trust"' in page or "initial-form-0-trust" in page
    )
    update_source(source=source, trust=0.4)

    told = curator.post(LIST, mine)

    assert told.status_code == 200
    assert "Changed to “0.4” meanwhile" in told.content.decode()
    assert Source.objects.get().trust == 0.4


def test_add__creates_a_source_with_its_columns(curator, settings):
    settings.CRMIND_KNOWLEDGE = {**settings.CRMIND_KNOWLEDGE, "INGEST_ROOTS": ["/srv"]}
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
        ("name", "Camelot", "There is a source of this name already. Choose another."),
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
        "language": "english",
        field: value,
    }

    response = curator.post(f"/admin/knowledge/source/{source.pk}/change/", form)

    assert response.status_code == 200
    assert words in response.content.decode()
    assert Source.objects.get(pk=source.pk).name == "Round table"
