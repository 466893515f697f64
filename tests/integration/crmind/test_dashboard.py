"""The first page: figures that lead to the lists behind them, and what to do where none are."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.formats import date_format
from django_q.models import OrmQ, Task

from cachemgr.models import CacheEvent
from crmind.dashboard.health import describe_health
from crmind.dashboard.stock import describe_stock
from crmind.roles import CURATOR, VIEWER
from knowledge.models import EmbeddingSpace, IngestionRun
from retrieval.models import IndexCheck
from retrieval.services import save_index_check
from tests.factories.knowledge import DocumentFactory, SourceFactory
from tests.factories.retrieval import SearchLogFactory
from tests.factories.staff import StaffFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def curator(client):
    client.force_login(StaffFactory(role=CURATOR))
    return client


def rows_behind(client, link):
    """Return how many rows the list behind a figure shows."""
    return client.get(link).context["cl"].result_count


def test_stock__every_figure_is_that_of_the_list_behind_it(curator):
    now = timezone.now()
    source, other = SourceFactory(name="Trade press"), SourceFactory(name="<b>Mail</b>")
    for days in (1, 40, 41, 100, 500, None):
        published = None if days is None else now - timedelta(days=days)
        DocumentFactory(source=source, published_at=published)
    DocumentFactory(source=other, status="failed", status_reason="The PDF is locked.")
    DocumentFactory(source=other, status="needs_attention", status_reason="No text.")

    stock = curator.get("/admin/").context["stock"]

    assert stock["total"] == 8
    assert [(bar.label, bar.count) for bar in stock["ages"]] == [
        ("Up to a month", 1),
        ("Up to three months", 2),
        ("Up to a year", 1),
        ("Older", 1),
        ("Undated", 1),
    ]
    assert [(bar.label, bar.count, bar.troubled) for bar in stock["sources"]] == [
        ("Trade press", 6, 0),
        ("<b>Mail</b>", 2, 2),
    ]
    for bar in (*stock["states"], *stock["sources"], *stock["ages"]):
        assert rows_behind(curator, bar.link) == bar.count, bar
    assert rows_behind(curator, stock["sources"][1].trouble_link) == 2
    (*_, old, undated) = stock["ages"]
    day = date_format(timezone.localtime(now - timedelta(days=365)), "j F Y")
    assert f"Only: Published at before {day}" in curator.get(old.link).content.decode()
    assert "Only: Published at is empty." in curator.get(undated.link).content.decode()
    assert "<b>Mail</b>" not in curator.get("/admin/").content.decode()


def test_stock__counts_what_the_person_may_read(client):
    source = SourceFactory()
    DocumentFactory(source=source)
    DocumentFactory(source=source, access_tags=["sales"])
    for role, count in ((CURATOR, 2), (VIEWER, 1)):
        client.force_login(StaffFactory(role=role))
        stock = client.get("/admin/").context["stock"]
        assert stock["total"] == stock["sources"][0].count == count
        assert rows_behind(client, stock["sources"][0].link) == count
        listed = client.get("/admin/knowledge/source/").context["cl"].result_list
        assert [each.figures.documents for each in listed] == [count]


def test_usage__searches_and_hits_of_thirty_days(curator):
    now = timezone.now()
    for verdict, count in (("answerable", 5), ("weak", 3), ("none", 2)):
        for _ in range(count):
            SearchLogFactory(verdict=verdict)
    old = SearchLogFactory(verdict="weak")
    type(old).objects.filter(pk=old.pk).update(created_at=now - timedelta(days=40))
    for outcome in ("exact", "semantic", "miss", "refused_private", "said_right"):
        CacheEvent.objects.create(at=now, day=timezone.localdate(), outcome=outcome)

    response = curator.get("/admin/")
    usage = response.context["usage"]

    assert (usage["searches"], usage["poor_share"]) == (10, 50)
    assert (usage["hits"], usage["look_ups"], usage["hit_share"]) == (2, 3, 67)
    assert [(each["label"], each["count"], each["share"]) for each in usage["poor"]] == [
        ("weak evidence", 3, 30),
        ("conflicting evidence", 0, 0),
        ("no evidence", 2, 20),
    ]
    for each in usage["poor"]:
        assert rows_behind(curator, each["link"]) == each["count"]
    assert rows_behind(curator, usage["searches_link"]) == 10
    assert rows_behind(curator, usage["poor_link"]) == usage["poor_count"] == 5
    yesterday, today = usage["by_day"][1:] or [None], usage["by_day"][0]
    assert (today.searches, today.poor, today.hits, today.look_ups) == (10, 5, 2, 3)
    assert rows_behind(curator, today.searches_link) == 10
    assert rows_behind(curator, today.poor_link) == 5
    assert yesterday == [None]
    assert "<canvas" in response.content.decode()


def test_home__empty_says_what_to_do(curator):
    page = curator.get("/admin/").content.decode()

    assert "Nothing is indexed yet." in page
    assert "/admin/knowledge/source/add/" in page
    assert "Nobody asked anything." in page
    assert "<canvas" not in page


def test_home__viewers_see_no_questions_and_strangers_nothing(client):
    SearchLogFactory()
    client.force_login(StaffFactory(role=VIEWER))
    assert "usage" not in client.get("/admin/").context
    client.force_login(StaffFactory())
    context = client.get("/admin/").context
    assert [key for key in ("stock", "usage", "health", "latest_runs") if key in context] == []


def test_home__reviews_that_are_due_lead_to_their_list(curator):
    due = timezone.localdate() - timedelta(days=1)
    for _ in range(8):
        SourceFactory(review_by=due)
    SourceFactory(review_by=due + timedelta(days=10))

    page = curator.get("/admin/").content.decode()

    assert page.count("Should have been reviewed by") == 6
    SourceFactory(review_by=due, enabled=False)
    (group,) = curator.get("/admin/").context["sources_to_look_at"]
    assert rows_behind(curator, group.link) == group.count == 8


def test_home__sources_that_fail_lead_to_their_list(curator):
    SourceFactory(health="failing", health_reason="The folder is gone.")
    for _ in range(2):
        SourceFactory(health="degraded")

    response = curator.get("/admin/")

    groups = response.context["sources_to_look_at"]
    assert [(group.label, group.count) for group in groups] == [
        ("Failing", 1),
        ("With documents to look at", 2),
    ]
    assert [rows_behind(curator, group.link) for group in groups] == [1, 2]
    assert "The folder is gone." in response.content.decode()


def states(now):
    return {
        fact.label: (fact.state, fact.text.replace("\xa0", " "))
        for fact in describe_health(now=now)
    }


def test_health__of_a_queue_that_stands_still_and_one_that_moves():
    now = timezone.now()
    assert states(now)["Queue"] == ("Empty", "Nothing waits.")

    run = IngestionRun.objects.create(trigger="admin")
    IngestionRun.objects.filter(pk=run.pk).update(created_at=now - timedelta(minutes=10))
    OrmQ.objects.create(key="crmind", payload="a task", lock=now)
    state, text = states(now)["Queue"]
    assert state == "Stands still"
    assert "manage.py qcluster" in text

    ended = now - timedelta(seconds=30)
    Task.objects.create(id="1", name="a", func="math.floor", started=ended, stopped=ended)
    assert states(now)["Queue"] == ("Working", "1 waiting, a run for 10 minutes.")


def test_health__of_an_index_that_is_missing():
    now = timezone.now()
    assert states(now)["Vectors"][0] == "None yet"
    assert states(now)["Indexes"][0] == "Valid"

    EmbeddingSpace.objects.create(provider="x", model="y", dimensions=3, status="active")
    state, text = states(now)["Indexes"]
    assert state == "Damaged"
    assert "CREATE INDEX" in text.upper()


def test_health__of_the_recall_that_was_measured_last(monkeypatch):
    now = timezone.now()
    space = EmbeddingSpace.objects.create(provider="x", model="y", dimensions=3, status="active")
    state, text = states(now)["Recall of the index"]
    assert state == "Not measured"
    assert "manage.py check_index" in text

    recalls = {"none": 1.0, "source with fewest": 0.9621}
    kept = {"embedding_model": str(space), "floor": 0.95, "recalls": recalls}
    check = save_index_check(**kept, faults=[])
    state, text = states(now)["Recall of the index"]
    assert state == "Good"
    assert "at least 96.2% of what an exact scan finds, least within the source with few" in text
    later = states(now + timedelta(days=31))["Recall of the index"]
    assert later[0] == "Out of date"
    assert date_format(timezone.localtime(check.created_at), "j F Y") in later[1]

    monkeypatch.setattr("retrieval.services.index_checks.KEPT_CHECKS", 1)
    save_index_check(**kept, faults=["Recall is 0.5, below 0.95."])
    assert IndexCheck.objects.count() == 1
    state, text = states(now)["Recall of the index"]
    assert (state, text.endswith("Recall is 0.5, below 0.95.")) == ("Too low", True)


def test_health__tells_of_tasks_that_failed():
    now = timezone.now()
    for number, hours in enumerate((1, 30)):
        ended = now - timedelta(hours=hours)
        Task.objects.create(
            id=str(number), name="a", func="f", started=ended, stopped=ended, success=False
        )
    assert states(now)["Queue"][1].endswith(
        "1 task failed in the last day: see the log of the worker."
    )


def test_describe_stock__reads_the_index_alone(django_assert_num_queries):
    DocumentFactory()
    curator = StaffFactory(role=CURATOR)
    assert curator.has_perm("knowledge.read_every_document")
    with django_assert_num_queries(3):
        describe_stock(curator, now=timezone.now())
