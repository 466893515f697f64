"""Documents in the admin: state, trust, retiring, and what must not be seen or run."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from knowledge.admin import curation
from knowledge.admin.document import DocumentAdmin
from knowledge.models import ChunkEmbedding, Document, DocumentBody, DocumentStatus, IngestionRun
from knowledge.services import switch_chunk, update_source
from tests.factories.cachemgr import EmbeddingSpaceFactory
from tests.factories.knowledge import (
    ChunkFactory,
    DocumentFactory,
    EntityFactory,
    SourceFactory,
)

LIST = "/admin/knowledge/document/"


def page_of(row):
    return f"/admin/knowledge/{row._meta.model_name}/{row.pk}/change/"


def decisions(document, **values):
    return {"trust": "", "access_tags": "everyone", **values}


def test_page__says_what_is_wrong_and_what_to_do(viewer):
    document = DocumentFactory(
        status=DocumentStatus.FAILED,
        status_reason="The PDF is locked.",
        warnings=["Two pages had no text."],
        metadata={"author": "Dana"},
    )
    DocumentBody.objects.create(document=document, text="a" * 20_000 + "b")

    page = viewer.get(page_of(document)).content.decode()

    assert "The PDF is locked." in page
    assert "Press “Try again”" in page
    assert "Two pages had no text." in page
    assert "<em>author</em>: Dana" in page
    assert "a" * 20_000 in page
    assert "aab" not in page
    assert "The first 20000 characters are shown." in page


def test_page__says_when_nothing_of_it_is_searched(viewer):
    searched, off, retired = ChunkFactory.create_batch(3, document__chunk_count=1)
    switch_chunk(chunk=off, off=True)
    update_source(source=retired.source, enabled=False)

    pages = [
        viewer.get(page_of(each.document)).content.decode() for each in (searched, off, retired)
    ]

    assert "Its passages are searched." in pages[0]
    assert "Each of its passages was switched off" in pages[1]
    assert "Its source is retired" in pages[2]


def test_page__warns_of_a_date_that_is_still_ahead(viewer):
    ahead = DocumentFactory(published_at=timezone.now() + timedelta(days=400))
    past = DocumentFactory(published_at=timezone.now() - timedelta(days=30))

    warning = "which is in the future: for freshness it is as new as today"
    assert warning in viewer.get(page_of(ahead)).content.decode()
    assert warning not in viewer.get(page_of(past)).content.decode()


def test_page__says_when_the_model_does_not_know_the_language(viewer):
    EmbeddingSpaceFactory(model="all-MiniLM-L6-v2", status="active")
    pages = []
    for text in ("返品は三十日以内に受け付けます", "Refunds within 30 days"):
        document = DocumentFactory()
        DocumentBody.objects.create(document=document, text=text)
        pages.append(viewer.get(page_of(document)).content.decode())

    told = ["all-MiniLM-L6-v2 knows English only" in page for page in pages]
    assert told == [True, False]


def test_list__documents_of_one_moment_stand_on_one_page_each(viewer, monkeypatch):
    documents = DocumentFactory.create_batch(60)
    Document.objects.update(updated_at=documents[0].updated_at)
    monkeypatch.setattr(DocumentAdmin, "list_per_page", 10)

    for walk in range(2):
        seen = []
        for number in range(1, 7):
            shown = viewer.get(LIST, {"p": number}).context["cl"].result_list
            seen += [document.pk for document in shown]
        assert sorted(seen) == sorted(document.pk for document in documents)
        Document.objects.filter(pk__in=seen[:5]).update(author=f"walk {walk}")


def test_change__trust_keeps_vectors_and_embeds_nothing(curator, monkeypatch):
    chunk = ChunkFactory(document__trust=0.5)
    space = EmbeddingSpaceFactory()
    ChunkEmbedding.objects.create(chunk=chunk, space=space, vector=[0.6, 0.8, 0.0])
    monkeypatch.setattr("knowledge.embedding.hashing.HashingEmbedder.embed_passages", None)

    response = curator.post(page_of(chunk.document), decisions(chunk.document, trust="0.9"))

    assert response.status_code == 302
    assert Document.objects.get().trust == 0.9
    assert [float(each) for each in ChunkEmbedding.objects.get().vector] == pytest.approx(
        [0.6, 0.8, 0.0]
    )


def test_change__access_tags_reach_the_chunks(curator):
    chunk = ChunkFactory()

    curator.post(page_of(chunk.document), decisions(chunk.document, access_tags="sales"))

    chunk.refresh_from_db()
    assert chunk.access_tags == ["sales"]


def test_change__documents_that_would_replace_each_other(curator):
    old = DocumentFactory()
    new = DocumentFactory(supersedes=old)

    response = curator.post(page_of(old), decisions(old, supersedes=new.pk))

    assert response.status_code == 200
    assert "each would replace the other" in response.context["adminform"].errors["supersedes"][0]
    assert Document.objects.get(pk=old.pk).supersedes is None


def test_change__replaced_by_and_back(curator):
    old, new = DocumentFactory(), DocumentFactory(published_at=timezone.now())

    curator.post(page_of(old), decisions(old, replaced_by=new.pk))
    new.refresh_from_db()
    old.refresh_from_db()
    assert (new.supersedes, old.valid_until) == (old, new.published_at)
    assert "Replaced by" in curator.get(page_of(old)).content.decode()

    values = {"valid_until_0": "", "valid_until_1": ""}
    curator.post(page_of(new), decisions(new, supersedes="", **values))
    new.refresh_from_db()
    old.refresh_from_db()
    assert (new.supersedes, old.valid_until) == (None, None)


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("entities", "is not a valid UUID"),
        ("supersedes", "A document cannot replace itself."),
        ("replaced_by", "A document cannot replace itself."),
        ("valid_until", "name a later end"),
        ("trust", "less than or equal to 1"),
    ],
)
def test_change__is_refused_at_the_field(curator, field, reason):
    document = DocumentFactory(valid_from=timezone.now())
    values = {"supersedes": document.pk, "replaced_by": document.pk, "trust": "1.5"}
    values["entities"] = "x"
    wrong = {field: values.get(field, "")}
    if field == "valid_until":
        wrong = {"valid_until_0": "2001-01-01", "valid_until_1": "00:00:00"}

    response = curator.post(page_of(document), decisions(document, **wrong))

    assert reason in response.context["adminform"].errors[field][0]


def test_change__what_was_decided_stays_when_a_new_version_comes_in(curator, shelf):
    document = Document.objects.get(pk=shelf.store("a.md", "The grail").document_id)
    camelot, castle = EntityFactory(name="Camelot"), EntityFactory(name="Aaargh")
    ends = {"valid_until_0": "2032-01-01", "valid_until_1": "00:00:00"}
    curator.post(page_of(document), decisions(document, entities=[castle.pk], **ends))

    shelf.store("a.md", "The holy grail", entities=("Camelot",))

    document.refresh_from_db()
    assert document.valid_until == datetime(2032, 1, 1, tzinfo=UTC)
    assert list(document.entities.all()) == [castle]
    chunk = document.chunks.get()
    assert (chunk.entity_ids, chunk.valid_until) == ([castle.pk], document.valid_until)
    assert camelot.pk not in chunk.entity_ids


def test_edit__entities_and_readers_of_several(curator):
    camelot, castle = EntityFactory(name="Camelot"), EntityFactory(name="Aaargh")
    chunks = ChunkFactory.create_batch(2)
    for chunk in chunks:
        chunk.document.entities.add(castle)
    chosen = {"action": "edit", "_selected_action": [chunk.document_id for chunk in chunks]}

    question = curator.post(LIST, chosen)
    assert "2 documents" in question.content.decode()
    nothing = curator.post(LIST, {**chosen, "confirmed": "yes"})
    assert "Say what to change" in nothing.content.decode()
    wrong = curator.post(
        LIST, {**chosen, "confirmed": "yes", "access_tags": "X", "added": [castle.pk]}
    )
    assert "“X”: An access tag" in wrong.context["form"].errors["access_tags"][0]
    assert wrong.context["form"]["added"].value() == [str(castle.pk)]

    curator.post(
        LIST,
        {
            **chosen,
            "confirmed": "yes",
            "added": [camelot.pk],
            "removed": [castle.pk],
            "access_tags": "sales",
        },
    )

    for chunk in chunks:
        chunk.refresh_from_db()
        assert (chunk.entity_ids, chunk.access_tags) == ([camelot.pk], ["sales"])


def test_text__is_cut_where_its_passages_begin_and_end(curator):
    document = DocumentFactory(chunk_count=2)
    DocumentBody.objects.create(document=document, text="Head. One two. [ad] Two three. End.")
    ChunkFactory(document=document, position=0, text="One two.", start=6, end=14)
    ChunkFactory(document=document, position=1, text="Two three.", start=10, end=30)

    text = curator.get(page_of(document)).context["document"]["text"]

    assert [(part.text, part.repeated, bool(part.passage)) for part in text.parts] == [
        ("Head. ", 0, False),
        ("One two.", 0, True),
        ("two. [ad] Two three.", 4, True),
    ]


def test_text__long_ones_have_pages(curator, monkeypatch):
    monkeypatch.setattr("knowledge.admin.document_text.SHOWN_CHUNKS", 2)
    document = DocumentFactory(chunk_count=5)
    DocumentBody.objects.create(document=document, text="a b c d e")
    for position in range(5):
        start = 2 * position
        ChunkFactory(document=document, position=position, start=start, end=start + 1)

    shown = {}
    for page in ("", "2", "3", "99", "x", "-1"):
        text = curator.get(page_of(document), {"text": page}).context["document"]["text"]
        shown[page] = "".join(part.text for part in text.parts)

    assert shown == {"": "ab", "2": "cd", "3": "e", "99": "e", "x": "ab", "-1": "ab"}


@pytest.mark.parametrize(("status", "offered"), [("failed", "retry"), ("ready", "reindex")])
def test_retry__is_offered_to_what_failed_and_has_a_text(curator, status, offered):
    document = DocumentFactory(status=status, status_reason="The model did not answer.")
    DocumentBody.objects.create(document=document, text="grail")

    page = curator.get(page_of(document)).content.decode()

    assert [name for name in ("retry", "reindex") if f"/{name}/" in page] == [offered]
    curator.post(
        reverse(f"admin:knowledge_document_{offered}_this", args=[document.pk]),
        {"_form_submitted": "True"},
    )
    assert IngestionRun.objects.get().expected == 1


def test_retry__the_failed_ones_among_the_chosen(curator):
    uploads = SourceFactory(connector="upload")
    run = IngestionRun.objects.create(source=uploads, trigger="admin", kind="upload")
    locked = DocumentFactory(
        source=uploads, last_run=run, status="needs_attention", status_reason="The PDF is locked."
    )
    pushed = DocumentFactory(status="failed", status_reason="Too long.", source__connector="push")
    ready = DocumentFactory()
    chosen = {"action": "retry", "_selected_action": [locked.pk, pushed.pk, ready.pk]}

    page = curator.post(LIST, chosen, follow=True).content.decode()

    again = IngestionRun.objects.exclude(pk=run.pk).get()
    assert again.arguments == {"only": [locked.external_id]}
    assert f'Tried again: 1 document, by <a href="/admin/knowledge/ingestionrun/{again.pk}/' in page
    assert "Left as they are, because they did not fail: 1." in page
    assert f"The text of &#x27;{pushed.external_id}&#x27; is not kept" in page
    nothing = curator.post(LIST, {**chosen, "_selected_action": [ready.pk]}, follow=True)
    assert "None of the chosen documents failed" in nothing.content.decode()
    assert "send it once more" in curator.get(page_of(pushed)).content.decode()


def test_change__viewers_may_not(viewer):
    document = DocumentFactory()

    assert viewer.post(page_of(document), decisions(document, trust="0.1")).status_code == 403
    assert Document.objects.get().trust is None


def test_retire_and_restore__by_the_list(curator):
    chunk = ChunkFactory(document__chunk_count=1)
    chosen = {"_selected_action": [chunk.document_id]}

    question = curator.post(LIST, {"action": "retire", **chosen})
    assert "Retire these documents?" in question.content.decode()
    assert Document.objects.get().status == DocumentStatus.READY

    curator.post(LIST, {"action": "retire", "confirmed": "yes", **chosen})
    assert Document.objects.get().status == DocumentStatus.RETIRED
    chunk.refresh_from_db()
    assert not chunk.is_active

    curator.post(LIST, {"action": "restore", **chosen})
    assert Document.objects.get().status == DocumentStatus.READY


def test_actions__of_more_than_one_request_can_change(curator, monkeypatch):
    monkeypatch.setattr(curation, "MOST_AT_ONCE", 1)
    documents = DocumentFactory.create_batch(2, status="retired")
    chosen = {"_selected_action": [document.pk for document in documents]}

    for action in ("retire", "restore"):
        page = curator.post(LIST, {"action": action, "confirmed": "yes", **chosen}, follow=True)
        assert "At most 1 can be changed at once." in page.content.decode()
    assert {each.status for each in Document.objects.all()} == {"retired"}


@pytest.mark.parametrize("action", ["reindex", "retire", "restore"])
def test_actions__viewers_may_not(viewer, action):
    document = DocumentFactory()

    viewer.post(LIST, {"action": action, "_selected_action": [document.pk], "confirmed": "yes"})
    detail = reverse(f"admin:knowledge_document_{action}_this", args=[document.pk])

    assert viewer.post(detail, {"_form_submitted": "True"}).status_code == 403
    assert Document.objects.get().status == DocumentStatus.READY
    assert not IngestionRun.objects.exists()


def test_actions__only_those_the_state_allows_are_offered(curator):
    ready = curator.get(page_of(DocumentFactory())).content.decode()
    retired = curator.get(page_of(DocumentFactory(status="retired"))).content.decode()

    assert ("/retire/" in ready, "/restore/" in ready) == (True, False)
    assert ("/retire/" in retired, "/restore/" in retired) == (False, True)


def test_reindex_this__needs_a_post(curator):
    document = DocumentFactory()
    url = reverse("admin:knowledge_document_reindex_this", args=[document.pk])

    curator.get(url)
    assert not IngestionRun.objects.exists()

    response = curator.post(url, {"_form_submitted": "True"}, follow=True)
    run = IngestionRun.objects.get()
    assert run.expected == 1
    assert f"/admin/knowledge/ingestionrun/{run.pk}/change/" in response.content.decode()


def test_access__viewers_see_only_what_everyone_may_read(viewer):
    secret = ChunkFactory(
        document__title="Salaries", document__access_tags=["staff"], access_tags=["staff"]
    )
    open_to_all = ChunkFactory(document__title="Prices")
    DocumentBody.objects.create(document=secret.document, text="secret")

    documents = viewer.get(LIST).content.decode()
    chunks = viewer.get("/admin/knowledge/chunk/").content.decode()
    choices = viewer.get(
        "/admin/autocomplete/",
        {"app_label": "retrieval", "model_name": "judgement", "field_name": "document", "term": ""},
    )

    assert ("Salaries" in documents, "Prices" in documents) == (False, True)
    assert ("Salaries" in chunks, "Prices" in chunks) == (False, True)
    assert viewer.get(page_of(secret.document)).status_code == 302
    assert viewer.get(page_of(secret)).status_code == 302
    assert viewer.get(page_of(open_to_all)).status_code == 200
    assert [each["text"] for each in choices.json()["results"]] == ["Prices"]


def test_access__curators_see_every_document(curator):
    secret = DocumentFactory(title="Salaries", access_tags=["staff"])

    assert "Salaries" in curator.get(LIST).content.decode()
    assert curator.get(page_of(secret)).status_code == 200


def test_markup__stored_text_is_shown_as_text(curator):
    chunk = ChunkFactory(
        text="refund <img src=x onerror=alert(1)> steps <svg/onload=alert(2)>",
        document__title="<script>alert(3)</script>Refund",
        document__url="javascript:alert(4)",
        document__external_id='"><b>x.txt',
        document__status="failed",
        document__status_reason="<i>locked</i>",
        document__warnings=["<u>careful</u>"],
        document__metadata={"<em>key</em>": "<s>value</s>"},
    )
    DocumentBody.objects.create(document=chunk.document, text=chunk.text)
    urls = [LIST, "/admin/knowledge/chunk/", page_of(chunk.document), page_of(chunk)]

    for url in urls:
        page = curator.get(url).content.decode()
        for markup in ("<img src=x", "<svg/onload", "<script>alert", "<b>x.txt", "<i>locked"):
            assert markup not in page
        for markup in ("<u>careful", "<em>key", "<s>value", 'href="javascript:'):
            assert markup not in page
    assert "javascript:alert(4)" in curator.get(page_of(chunk.document)).content.decode()


@pytest.mark.parametrize("field", ["supersedes", "replaced_by"])
@pytest.mark.parametrize("key", ["x", "99999999999999999999"])
def test_change__a_document_that_cannot_be_is_told_at_the_field(curator, field, key):
    document = DocumentFactory()

    response = curator.post(page_of(document), decisions(document, **{field: key}))

    assert "valid choice" in response.context["adminform"].errors[field][0]
