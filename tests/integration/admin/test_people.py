"""Users, roles and the side bar."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import RequestFactory

from crmind.navigation import sidebar
from crmind.roles import ADMINISTRATOR, CURATOR, VIEWER, seed_roles
from tests.factories.staff import StaffFactory

pytestmark = pytest.mark.django_db


def titles_for(user):
    request = RequestFactory().get("/admin/")
    request.user = user
    return {
        group["title"]: [each["title"] for each in group["items"]] for group in sidebar(request)
    }


def test_seed_roles__is_idempotent_and_takes_back_what_was_given_by_hand():
    seed_roles()
    group = Group.objects.get(name=VIEWER)
    before = set(group.permissions.values_list("codename", flat=True))
    group.permissions.add(Permission.objects.get(codename="delete_source"))

    seed_roles()

    assert Group.objects.count() == 3
    assert set(group.permissions.values_list("codename", flat=True)) == before
    assert all(codename.startswith("view_") for codename in before)


def test_seed_roles__no_role_reaches_the_queue_or_makes_roles():
    seed_roles()

    given = Permission.objects.filter(group__isnull=False)
    assert not given.filter(content_type__app_label="django_q").exists()
    assert not given.filter(codename__in=["change_group", "add_group", "delete_user"]).exists()


def test_sidebar__viewer():
    assert titles_for(StaffFactory(role=VIEWER)) == {
        "Ask": ["Try a question", "Cached answers"],
        "Knowledge": ["Sources", "Documents", "Passages", "Entities", "Source types", "Runs"],
        "Ranking": ["Ranking profiles", "Synonyms", "Intents"],
        "Quality": ["Golden questions", "Judgements", "Evaluations"],
        "Administration": ["Changes", "Embedding models"],
    }


def test_sidebar__more_for_those_who_may_more():
    curator = titles_for(StaffFactory(role=CURATOR))
    administrator = titles_for(StaffFactory(role=ADMINISTRATOR))
    superuser = titles_for(StaffFactory(role="superuser"))

    assert curator["Ask"] == [
        "Try a question",
        "Cached answers",
        "Questions asked",
        "Knowledge gaps",
    ]
    assert administrator["Administration"] == [
        "Changes",
        "API keys",
        "Users",
        "Roles",
        "Embedding models",
    ]
    assert superuser["Administration"][5:] == ["Queued tasks", "Failed tasks", "Schedules"]


def test_sidebar__nothing_without_a_role():
    assert titles_for(StaffFactory()) == {}


def test_users__administrators_cannot_make_superusers(client):
    person = StaffFactory()
    client.force_login(StaffFactory(role=ADMINISTRATOR))
    form = {"username": person.username, "is_active": "on", "is_staff": "on", "is_superuser": "on"}
    dates = {"date_joined_0": "2026-01-01", "date_joined_1": "10:00:00"}

    response = client.post(f"/admin/auth/user/{person.pk}/change/", {**form, **dates})

    assert response.status_code == 302
    assert not User.objects.get(pk=person.pk).is_superuser


def test_users__administrators_cannot_change_superusers(client):
    boss = StaffFactory(role="superuser")
    client.force_login(StaffFactory(role=ADMINISTRATOR))

    assert client.post(f"/admin/auth/user/{boss.pk}/change/", {}).status_code == 403
    response = client.post(f"/admin/auth/user/{boss.pk}/password/", {"password1": "x"})
    assert response.status_code == 403


def test_sign_in__straight_at_the_door_leads_to_the_first_page(client):
    person = StaffFactory(role=VIEWER)
    person.set_password("a grail of one's own")
    person.save()

    response = client.post(
        "/admin/login/", {"username": person.username, "password": "a grail of one's own"}
    )

    assert response.url == "/admin/"
