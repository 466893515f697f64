"""Sources that curators have read again."""

import re

import pytest
from django.urls import reverse
from django_q.models import OrmQ

from knowledge.models import IngestionRun, Source
from tests.factories.knowledge import SourceFactory


@pytest.fixture
def source(tmp_path):
    return SourceFactory(name="notes", connector="folder", location=str(tmp_path))


def page(source):
    return reverse("admin:knowledge_source_change", args=[source.pk])


def act(client, source, action):
    """Answer the dialog of an action on the page of the source."""
    url = reverse(f"admin:knowledge_source_{action}", args=[source.pk])
    return client.post(url, {"_form_submitted": "True"}, headers={"HX-Request": "true"})


def form(source, **changes):
    return {
        "name": source.name,
        "source_type": source.source_type_id,
        "connector": source.connector,
        "location": source.location,
        "mapping": "",
        "refresh_schedule_every": "",
        "refresh_schedule_weekday": "1",
        "refresh_schedule_at": "06:00",
        "refresh_schedule_cron": "",
        "trust": "0.7",
        "access_tags": "everyone",
        "language": "english",
        **changes,
    }


def errors(response):
    return " ".join(
        error
        for messages in response.context["adminform"].form.errors.values()
        for error in messages
    )


def test_check_now__starts_one_run(curator, source, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(2):
            act(curator, source, "check_now_this")
        curator.post(
            "/admin/knowledge/source/", {"action": "check_now", "_selected_action": [source.pk]}
        )

    run = IngestionRun.objects.get()
    assert (run.source, run.trigger, run.kind) == (source, "admin", "refresh")
    assert OrmQ.objects.count() == 1
    assert (
        f"/admin/knowledge/ingestionrun/{run.pk}/change/"
        in curator.get(page(source)).content.decode()
    )


def test_check_now__is_not_offered_where_nothing_can_be_read(curator):
    pushed = SourceFactory(connector="push")

    shown = curator.get(page(pushed)).content.decode()
    assert "Check now" not in shown
    assert "New webhook secret" not in shown
    response = curator.post(
        "/admin/knowledge/source/",
        {"action": "check_now", "_selected_action": [pushed.pk]},
        follow=True,
    )

    assert "cannot be read again" in response.content.decode()
    assert not IngestionRun.objects.exists()


def test_check_now__not_for_viewers(viewer, source):
    assert act(viewer, source, "check_now_this").status_code == 403
    assert not IngestionRun.objects.exists()


def test_webhook_secret__is_shown_once(curator, source):
    act(curator, source, "new_webhook_secret")

    shown = curator.get(page(source)).content.decode()
    assert re.search(r"<code>http://testserver/api/v1/webhooks/\d+/</code>", shown)
    assert re.search(r"<code>whsec_[A-Za-z0-9+/=]{44}</code>", shown)
    assert "whsec_" not in curator.get(page(source)).content.decode()


@pytest.mark.parametrize(
    ("changes", "expression"),
    [
        ({"refresh_schedule_every": "hourly"}, "0 * * * *"),
        ({"refresh_schedule_every": "daily", "refresh_schedule_at": "06:30"}, "30 6 * * *"),
        (
            {"refresh_schedule_every": "weekly", "refresh_schedule_weekday": "5"},
            "0 6 * * 5",
        ),
        (
            {"refresh_schedule_every": "cron", "refresh_schedule_cron": "5 4 1 * *"},
            "5 4 1 * *",
        ),
    ],
)
def test_schedule__is_saved_and_undone(curator, source, changes, expression):
    response = curator.post(page(source), form(source, **changes))

    assert response.status_code == 302, errors(response)
    saved = Source.objects.get()
    assert saved.refresh_schedule == expression
    assert saved.next_check_at
    curator.post(page(source), form(source))
    assert Source.objects.get().next_check_at is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"refresh_schedule_every": "cron", "refresh_schedule_cron": "often"}, "1 parts"),
        ({"refresh_schedule_every": "daily", "refresh_schedule_at": ""}, "at what time"),
        ({"location": "/etc"}, "only below the folders that the operator has named"),
        ({"location": "http://u:p@wiki.example/"}, "leave out name and password"),
        ({"connector": "url", "location": "ftp://wiki.example/"}, "only http and https"),
        ({"connector": "export", "mapping": "colour = Shade"}, "'colour' is no field"),
        ({"connector": "export", "mapping": "title"}, "as: field = column"),
        ({"refresh_schedule_every": "hourly", "location": ""}, "cannot be read again"),
    ],
)
def test_form__refuses_at_the_field(curator, source, changes, message):
    response = curator.post(page(source), form(source, **changes))

    assert response.status_code == 200
    assert message in errors(response)
    saved = Source.objects.get()
    assert (saved.location, saved.refresh_schedule, saved.mapping) == (source.location, "", {})


def test_form__places_below_what_the_operator_named(curator, source, settings, tmp_path):
    settings.CRMIND_KNOWLEDGE = {**settings.CRMIND_KNOWLEDGE, "INGEST_ROOTS": [str(tmp_path)]}
    (tmp_path / "out").symlink_to("/etc")

    for place in ("inbox", "../up", "out"):
        curator.post(page(source), form(source, location=f"{tmp_path}/{place}"))
        if place == "inbox":
            assert Source.objects.get().location == f"{tmp_path}/inbox"
    mapping = "text = Body + Notes\nexternal_id = Ticket"
    curator.post(
        page(source),
        form(source, connector="export", location=f"{tmp_path}/inbox", mapping=mapping),
    )

    saved = Source.objects.get()
    assert saved.location == f"{tmp_path}/inbox"
    assert saved.mapping == {"text": "Body + Notes", "external_id": "Ticket"}
