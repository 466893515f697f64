"""API keys in the admin: shown once, only to administrators."""

import re

import pytest
from django.apps import apps
from django.contrib import admin

from crmind.roles import ADMINISTRATOR
from knowledge.models import ApiKey
from tests.factories.staff import StaffFactory

ADD = "/admin/knowledge/apikey/add/"


@pytest.fixture
def administrator(client, db):
    client.force_login(StaffFactory(role=ADMINISTRATOR))
    return client


def new_key(**values):
    empty = {"expiry_date_0": "", "expiry_date_1": ""}
    return {"name": "chat", "access_tags": "everyone, sales", **empty, **values}


def test_add__shows_the_key_once(administrator):
    page = administrator.post(ADD, new_key(can_write="on"), follow=True).content.decode()

    key = re.search(r"<code>(.+?)</code>", page).group(1)
    stored = ApiKey.objects.get_from_key(key)
    assert stored.readable_tags == {"everyone", "sales"}
    assert stored.can_write
    assert (
        key
        not in administrator.get(f"/admin/knowledge/apikey/{stored.pk}/change/").content.decode()
    )
    assert key not in administrator.get("/admin/knowledge/apikey/").content.decode()


def test_change__revoked_is_for_ever(administrator):
    stored, key = ApiKey.objects.create_key(name="chat")
    url = f"/admin/knowledge/apikey/{stored.pk}/change/"

    administrator.post(url, new_key(revoked="on"))
    administrator.post(url, new_key())

    assert ApiKey.objects.get().revoked
    assert not ApiKey.objects.is_valid(key)


def test_change__is_taken_back_with_one_click_but_a_revocation(administrator):
    stored, _ = ApiKey.objects.create_key(name="chat")
    url = f"/admin/knowledge/apikey/{stored.pk}/change/"
    administrator.post(url, new_key(can_write="on"))
    widened = ApiKey.history.filter(id=stored.pk).first()
    assert [each["field"] for each in widened.history_changes] == ["access_tags", "can_write"]

    page = administrator.get(f"/admin/changes/knowledge/apikey/{widened.history_id}/")
    administrator.post(page.request["PATH_INFO"], {"seen": page.context["plan"].seen})
    stored.refresh_from_db()
    assert (stored.access_tags, stored.can_write) == (["everyone"], False)

    administrator.post(url, new_key(revoked="on", access_tags="everyone"))
    revoked = ApiKey.history.filter(id=stored.pk).first()
    page = administrator.get(f"/admin/changes/knowledge/apikey/{revoked.history_id}/")
    assert "A key that was revoked stays so" in page.content.decode()


def test_add__curators_may_not(curator):
    assert curator.post(ADD, new_key()).status_code == 403
    assert not ApiKey.objects.exists()


def test_library__its_own_keys_are_not_offered():
    assert not admin.site.is_registered(apps.get_model("rest_framework_api_key", "APIKey"))
