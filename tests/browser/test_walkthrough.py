"""The walk-through of docs/how-to/curate.md: from a bad answer to its cause, the fix, the proof."""

from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from knowledge.models import EVERYONE, Connector, IngestionRun
from knowledge.services import create_source
from knowledge.tasks import work_on_run
from retrieval.models import GapStatus, KnowledgeGap
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.tasks import tend_gaps

QUESTION = "Where is the holy grail kept?"
UNANSWERED = "How deep is the moat of Camelot?"


def test_walkthrough__from_a_bad_answer_to_the_proof(curator, stock):
    curator.open(f"{reverse('preview')}?{urlencode({'question': QUESTION})}")
    assert first_hit(curator) == "Rabbit"
    curator.picture("curate-1-bad-answer")

    curator.open(reverse("admin:knowledge_source_changelist"))
    row = curator.page.get_by_role("row").filter(has_text="Rumours")
    row.locator("input[name$=-trust]:not([type=hidden])").fill("0.05")
    curator.picture("curate-2-trust")
    curator.press("Save")
    curator.sees("was changed successfully")

    curator.open(f"{reverse('preview')}?{urlencode({'question': QUESTION})}")
    assert first_hit(curator) == "The castle of Aaargh"
    curator.picture("curate-3-good-answer")

    curator.open(reverse("changes"))
    curator.sees("Rumours")
    curator.picture("curate-4-changes")


def test_walkthrough__from_a_gap_to_an_answer(curator, stock, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    create_source(name="Written by us", type_slug="news_article", connector=Connector.UPLOAD)
    for question in (UNANSWERED, UNANSWERED.lower(), "how deep is camelot's moat"):
        request = SearchRequest(question=question)
        search(request, reader_tags=frozenset({EVERYONE}), now=timezone.now())
    tend_gaps()
    gap = KnowledgeGap.objects.counted(now=timezone.now()).order_by("-asked_count").first()

    curator.open(reverse("admin:retrieval_knowledgegap_change", args=[gap.pk]))
    curator.picture("curate-5-gap")
    curator.follow("Add a document")
    curator.fill("Title", "The moat of Camelot")
    text = "How deep is the moat of Camelot? The moat of Camelot is seven feet deep."
    curator.fill("Or paste a text", text)
    curator.picture("curate-6-add")
    curator.press("Add", exact=False)
    curator.sees("Waiting for the queue worker.")
    work_on_run(IngestionRun.objects.latest("pk").pk)
    curator.sees("1 of 1 documents looked at")

    curator.open(reverse("admin:retrieval_knowledgegap_change", args=[gap.pk]))
    curator.follow("Mark answered")
    curator.press("Ask again and close")
    curator.sees("It is closed.")
    curator.picture("curate-7-closed")
    assert KnowledgeGap.objects.get(pk=gap.pk).status == GapStatus.ANSWERED


def first_hit(visit):
    return visit.page.locator(".crmind-hit").first.get_by_role("link").first.inner_text().strip()
