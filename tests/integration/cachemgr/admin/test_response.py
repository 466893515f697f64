"""Cached answers in the admin: read, understood, forgotten."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from cachemgr.models import CachedResponse
from cachemgr.services import forget
from cachemgr.services.counting import count_outcome
from knowledge.services import switch_chunk
from tests.factories.cachemgr import CachedCitationFactory, CachedResponseFactory

LIST = "/admin/cachemgr/cachedresponse/"


def page_of(response):
    return f"{LIST}{response.pk}/change/"


def test_page__answer_citations_and_scope_in_words(curator):
    citation = CachedCitationFactory(
        response__question="Where is <b>it</b>?", chunk__document__title="Grail"
    )

    page = curator.get(page_of(citation.response)).content.decode()

    assert "Where is &lt;b&gt;it&lt;/b&gt;?" in page
    assert "In the castle [1]." in page
    assert f'/admin/knowledge/document/{citation.document_id}/change/">Grail</a>' in page
    assert f'/admin/knowledge/chunk/{citation.chunk_id}/change/">passage</a> unchanged' in page
    assert '<dt>Readers</dt><dd class="crmind-wrap">everyone</dd>' in page
    assert "{&#x27;" not in page


def test_page__a_passage_that_was_switched_off_since(curator):
    citation = CachedCitationFactory(chunk__document__chunk_count=1)
    switch_chunk(chunk=citation.chunk, off=True)

    page = curator.get(page_of(citation.response)).content.decode()

    assert "passage</a> switched off" in page
    assert "Withdrawn: a cited passage was switched off" in page


def test_page__a_citation_whose_document_is_gone(curator):
    citation = CachedCitationFactory()
    citation.chunk_id = citation.document_id = 999_999
    citation.save()

    assert "a document that is gone" in curator.get(page_of(citation.response)).content.decode()


def test_list__states(curator):
    now = timezone.now()
    CachedResponseFactory()
    CachedResponseFactory(created_at=now - timedelta(days=9), expires_at=now - timedelta(days=2))
    CachedResponseFactory(invalidated_at=now, invalidation_reason="retired")

    page = curator.get(LIST).content.decode()

    for words in ("Served", "Expired", "Withdrawn: a cited document was retired or removed"):
        assert words in page


def test_forget__asks_first(curator):
    response = CachedResponseFactory()
    chosen = {"action": "forget_chosen", "_selected_action": [response.pk]}

    assert "Forget these answers?" in curator.post(LIST, chosen).content.decode()
    assert CachedResponse.objects.get().invalidated_at is None

    curator.post(LIST, {**chosen, "confirmed": "yes"})
    assert CachedResponse.objects.get().invalidation_reason == "forgotten"


def test_page__why_it_was_withdrawn_and_how_often_it_served(curator):
    response = CachedResponseFactory()
    now = timezone.now()
    page = curator.get(page_of(response)).content.decode()
    assert "never" in page
    count_outcome("exact", now=now - timedelta(hours=2), response_id=response.pk)
    count_outcome("exact", now=now - timedelta(hours=3), response_id=response.pk)
    forget(response_id=response.pk, now=now)
    page = curator.get(page_of(response)).content.decode()
    for words in (
        "Withdrawn: forgotten by hand",
        "2 times",
        "2\xa0hours ago",
        "The text was deleted.",
    ):
        assert words in page
    assert response.answer not in page


def test_forget__twice_says_so(curator):
    response = CachedResponseFactory()
    url = reverse("admin:cachemgr_cachedresponse_forget_this", args=[response.pk])

    curator.post(url, {"_form_submitted": "True"})
    page = curator.post(url, {"_form_submitted": "True"}, follow=True).content.decode()

    assert "There is no such cached response." in page


def test_forget__viewers_may_not(viewer):
    response = CachedResponseFactory()
    url = reverse("admin:cachemgr_cachedresponse_forget_this", args=[response.pk])

    assert viewer.post(url, {"_form_submitted": "True"}).status_code == 403
    assert CachedResponse.objects.get().invalidated_at is None


@pytest.mark.parametrize(("role", "is_seen"), [("viewer", False), ("curator", True)])
def test_list__answers_made_for_a_tag(request, role, is_seen):
    client = request.getfixturevalue(role)
    response = CachedResponseFactory(
        question="What do we earn?", scope={"access_tags": ["everyone", "staff"]}
    )

    assert ("What do we earn?" in client.get(LIST).content.decode()) is is_seen
    assert client.get(page_of(response)).status_code == (200 if is_seen else 302)


@pytest.mark.parametrize("kind", ["document", "source"])
def test_forget_citing__counts_first_and_spares_the_others(curator, kind):
    citation, other = CachedCitationFactory(), CachedCitationFactory()
    CachedCitationFactory(response=citation.response, chunk=citation.chunk, number=2)
    url = reverse("admin:cachemgr_cachedresponse_forget_citing")
    cited = {kind: getattr(citation, f"{kind}_id")}

    listed = curator.get(LIST, cited).context["cl"].result_list
    assert [response.pk for response in listed] == [citation.response_id]
    asked = curator.get(url, cited)
    assert "1 answer cites it." in asked.content.decode()
    assert CachedResponse.objects.live().count() == 2
    curator.post(url, cited)

    assert list(CachedResponse.objects.live()) == [other.response]
    gone = CachedResponse.objects.get(pk=citation.response_id)
    assert (gone.answer, gone.invalidation_reason) == ("", "forgotten")
    assert "Withdrawn: forgotten by hand" in curator.get(page_of(gone)).content.decode()
    (change,) = curator.get("/admin/changes/", {"kind": "log"}).context["shown"]
    assert change.change.name.startswith("Answers that cite ")
    assert change.change.reason == "Forgotten: 1."


@pytest.mark.parametrize(
    ("cited", "field"),
    [({}, None), ({"document": "x"}, "document"), ({"document": "", "source": ""}, "document")],
)
def test_forget_citing__needs_one_of_the_two(curator, cited, field):
    CachedCitationFactory()
    url = reverse("admin:cachemgr_cachedresponse_forget_citing")

    errors = curator.get(url, cited).context["form"].errors
    curator.post(url, cited)

    assert list(errors) == ([field] if field else [])
    assert CachedResponse.objects.live().count() == 1


def test_forget_citing__viewers_may_not(viewer):
    citation = CachedCitationFactory()
    url = reverse("admin:cachemgr_cachedresponse_forget_citing")

    assert viewer.get(url).status_code == 403
    assert viewer.post(url, {"document": citation.document_id}).status_code == 403
    assert CachedResponse.objects.live().count() == 1
