"""Knowledge gaps in the admin: counted, handed out, closed, and never as markup."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from retrieval.models import KnowledgeGap, SearchLog
from tests.factories.retrieval import GapQuestionFactory, KnowledgeGapFactory, SearchLogFactory
from tests.factories.staff import StaffFactory

LIST = "/admin/retrieval/knowledgegap/"


def page_of(gap):
    return f"{LIST}{gap.pk}/change/"


def action(gap, name):
    return reverse(f"admin:retrieval_knowledgegap_{name}_this", args=[gap.pk])


def asked(gap, days_ago, question="Where is the grail?"):
    search = SearchLogFactory(question=question)
    moment = timezone.now() - timedelta(days=days_ago)
    SearchLog.objects.filter(pk=search.pk).update(created_at=moment)
    return GapQuestionFactory(gap=gap, search=search)


def test_list__most_asked_first_with_the_trend(curator):
    rare, often = KnowledgeGapFactory(), KnowledgeGapFactory()
    asked(rare, 30)
    for days_ago in (1, 2, 9):
        asked(often, days_ago)
    KnowledgeGapFactory(status="ignored")

    rows = list(curator.get(LIST).context["cl"].result_list)

    assert rows == [often, rare]
    counts = (rows[0].asked_count, rows[0].this_week, rows[0].week_before)
    assert counts == (3, 2, 1)
    page = curator.get(LIST).content.decode()
    assert "2 ↑ (1 before)" in page


def test_list__says_why_nothing_can_be_grouped(curator, settings):
    assert "as hashes only" not in curator.get(LIST).content.decode()
    settings.CRMIND_RETRIEVAL = {"SEARCH_LOG_QUESTIONS": "hashed"}
    assert "as hashes only" in curator.get(LIST).content.decode()
    settings.CRMIND_RETRIEVAL = {"IS_SEARCH_LOGGED": False}
    assert "Searches are not logged" in curator.get(LIST).content.decode()


def test_page__wordings_weeks_and_where_to_go_on(curator):
    gap = KnowledgeGapFactory(question="<b>Where</b> is it?")
    for days_ago in (0, 0, 15):
        asked(gap, days_ago, "<b>Where</b> is it?")
    asked(gap, 1, "Is it in the castle?")

    response = curator.get(page_of(gap))
    shown = response.context["gap"]

    wordings = [(each["question"], each["count"]) for each in shown["wordings"]]
    assert wordings == [("<b>Where</b> is it?", 3), ("Is it in the castle?", 1)]
    assert sum(week["asked"] for week in shown["weeks"]) == 4
    assert "<b>Where" not in response.content.decode()
    searches = curator.get(shown["searches"]).context["cl"].result_list
    assert len(searches) == 4


def test_page__is_assigned_with_a_note_and_remembered(curator):
    gap, person = KnowledgeGapFactory(), StaffFactory(role="Curator")

    curator.post(page_of(gap), {"owner": person.pk, "note": "Ask the knights."})

    gap.refresh_from_db()
    assert (gap.owner, gap.note) == (person, "Ask the knights.")
    assert [change["label"] for change in gap.history.first().history_changes] == ["Owner", "Note"]


@pytest.mark.parametrize(
    ("start", "name", "end"),
    [("open", "ignore", "ignored"), ("ignored", "reopen", "open"), ("open", "answered", "open")],
)
def test_decisions__by_a_post_alone(curator, start, name, end):
    gap = KnowledgeGapFactory(status=start)

    curator.get(action(gap, name))
    assert KnowledgeGap.objects.get().status == start
    response = curator.post(action(gap, name), {"_form_submitted": "True"}, follow=True)

    assert KnowledgeGap.objects.get().status == end
    if name == "answered":
        assert "None of its questions is kept any more" in response.content.decode()


def test_viewers__may_not(viewer):
    gap = KnowledgeGapFactory()

    assert viewer.get(LIST).status_code == 403
    assert viewer.get(page_of(gap)).status_code == 403
    assert viewer.post(action(gap, "ignore"), {"_form_submitted": "True"}).status_code == 403
