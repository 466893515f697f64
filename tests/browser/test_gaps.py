"""A knowledge gap from the first poor answer to the proof that there is a good one."""

from django.urls import reverse
from django.utils import timezone

from knowledge.models import EVERYONE
from retrieval.models import GapStatus, KnowledgeGap
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.tasks import tend_gaps
from tests.browser.stock import store

QUESTION = "How deep is the moat of Camelot?"


def test_gap__is_closed_only_once_there_is_an_answer(curator, stock):
    for question in (QUESTION, "how deep is the moat of camelot", "Who sells coconuts?"):
        request = SearchRequest(question=question)
        search(request, reader_tags=frozenset({EVERYONE}), now=timezone.now())
    tend_gaps()

    curator.open(reverse("admin:retrieval_knowledgegap_changelist"))
    curator.look("gaps")
    curator.follow("how deep is the moat of camelot")
    curator.look("gap")
    curator.follow("Mark answered")
    curator.press("Ask again and close")
    curator.sees("is not answered yet")
    assert KnowledgeGap.objects.filter(status=GapStatus.OPEN).count() == 2

    text = "How deep is the moat of Camelot? The moat of Camelot is seven feet deep."
    store(stock.chronicle, "moat.md", text, title="The moat of Camelot", age_days=1)
    curator.follow("Mark answered")
    curator.press("Ask again and close")
    curator.sees("the evidence suffices. It is closed.")
    curator.look("gap-answered")
    assert KnowledgeGap.objects.filter(status=GapStatus.ANSWERED).count() == 1
