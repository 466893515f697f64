"""From poor searches to gaps, and from gaps to answers."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_q.models import Schedule

from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.services import create_source, store_document
from retrieval.exceptions import StillUnansweredError
from retrieval.gaps.collecting import collect_gaps
from retrieval.gaps.deciding import ignore_gap, mark_answered, reopen_gap
from retrieval.models import GapQuestion, GapStatus, KnowledgeGap, SearchLog
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from retrieval.services import purge_searches
from retrieval.tasks import ensure_nightly_gaps, tend_gaps
from tests.factories.cachemgr import EmbeddingSpaceFactory
from tests.factories.retrieval import KnowledgeGapFactory, SearchLogFactory

PRICE = "What does the holy hand grenade cost?"
MOAT = "How deep is the moat of Camelot?"


@pytest.fixture
def source(seeded):
    seed_profiles()
    source = create_source(name="Chronicle", type_slug="news_article")
    store(source, "castle.txt", "The holy grail is kept in the castle of Aaargh.")
    return source


def store(source, external_id, text, **values):
    parsed = ParsedDocument(external_id=external_id, text=text, **values)
    store_document(
        source=source,
        parsed=parsed,
        embedder=get_embedder(),
        tokenizer=get_tokenizer(),
        now=timezone.now(),
    )


def ask(*questions, tags=("everyone",)):
    for question in questions:
        request = SearchRequest(question=question)
        search(request, reader_tags=frozenset(tags), now=timezone.now())


def collect():
    return collect_gaps(embedder=get_embedder())


def gaps():
    rows = KnowledgeGap.objects.counted(now=timezone.now()).order_by("pk")
    return [(gap.question, gap.asked_count, gap.status) for gap in rows]


def test_collect__groups_what_was_poorly_answered(source):
    ask(PRICE, MOAT, "what does the Holy Hand Grenade cost", "Where is the holy grail kept?")

    found = collect()

    assert (found.searches, found.new_gaps, found.left_over) == (3, 2, 0)
    assert gaps() == [
        ("what does the Holy Hand Grenade cost", 2, "open"),
        (MOAT, 1, "open"),
    ]
    assert collect().searches == 0


def test_collect__a_later_question_joins_and_opens_what_was_answered_again(source):
    ask(PRICE, MOAT)
    collect()
    price, moat = KnowledgeGap.objects.order_by("pk")
    KnowledgeGap.objects.filter(pk=price.pk).update(status=GapStatus.ANSWERED)
    ignore_gap(gap=moat, now=timezone.now())
    ask(PRICE, MOAT)

    found = collect()

    assert (found.searches, found.new_gaps, found.reopened) == (2, 0, 1)
    assert gaps() == [(PRICE, 2, "open"), (MOAT, 2, "ignored")]


def test_collect__questions_kept_as_hashes_have_no_meaning(source, settings):
    settings.CRMIND_RETRIEVAL = {"SEARCH_LOG_QUESTIONS": "hashed"}
    ask(PRICE)

    assert SearchLog.objects.get().verdict in {"weak", "none"}
    assert collect().searches == 0
    assert gaps() == []


def test_collect__no_more_than_a_lot_at_once(source, monkeypatch):
    monkeypatch.setattr("retrieval.gaps.collecting.SEARCHES_AT_ONCE", 2)
    monkeypatch.setattr("retrieval.gaps.collecting.MOST_GAPS", 1)
    ask(PRICE, MOAT, PRICE)

    first, second = collect(), collect()

    assert (first.searches, first.left_over) == (1, 1)
    assert (second.searches, second.left_over) == (1, 1)


def test_collect__gaps_of_another_model_are_embedded_anew(source):
    other = EmbeddingSpaceFactory(model="another", dimensions=3)
    KnowledgeGapFactory(question=PRICE, space=other)
    ask(PRICE)

    collect()

    assert gaps() == [(PRICE, 1, "open")]
    gap = KnowledgeGap.objects.get()
    assert (gap.space == other, len(gap.vector)) == (False, gap.space.dimensions)


def test_purge__takes_the_questions_and_then_the_gap(source):
    ask(PRICE)
    collect()
    old = timezone.now() - timedelta(days=91)
    SearchLog.objects.update(created_at=old)

    purge_searches(before=timezone.now() - timedelta(days=90))
    assert GapQuestion.objects.count() == 0
    tend_gaps()

    assert gaps() == []
    history = KnowledgeGap.history.model.objects
    assert not history.filter(history_name__icontains="grenade").exists()


def test_mark_answered__only_once_the_evidence_suffices(source):
    ask(PRICE)
    collect()
    gap = KnowledgeGap.objects.get()
    now = timezone.now()

    with pytest.raises(StillUnansweredError, match="is not answered yet"):
        mark_answered(gap=gap, embedder=get_embedder(), now=now)
    store(source, "price.txt", "What the holy hand grenade costs: it does cost 7 shillings.")
    mark_answered(gap=gap, embedder=get_embedder(), now=now)

    gap.refresh_from_db()
    assert (gap.status, gap.decided_at) == (GapStatus.ANSWERED, now)
    assert reopen_gap(gap=gap, now=now).status == GapStatus.OPEN


def test_mark_answered__asks_for_the_readers_who_asked(source):
    ask(PRICE, tags=("everyone",))
    collect()
    text = "What the holy hand grenade costs: it does cost 7 shillings."
    store(source, "price.txt", text, access_tags=("sales",))

    with pytest.raises(StillUnansweredError):
        mark_answered(gap=KnowledgeGap.objects.get(), embedder=get_embedder(), now=timezone.now())


def test_mark_answered__nothing_left_to_ask(db):
    with pytest.raises(StillUnansweredError, match="None of its questions is kept"):
        mark_answered(gap=KnowledgeGapFactory(), embedder=get_embedder(), now=timezone.now())


def test_nightly__is_scheduled_once(db):
    ensure_nightly_gaps()
    ensure_nightly_gaps()

    assert Schedule.objects.get(func="retrieval.tasks.tend_gaps").next_run > timezone.now()


def test_collect__poor_searches_without_documents_wait(seeded):
    SearchLogFactory(question=PRICE, created_at=timezone.now())

    assert collect().searches == 0
