"""Addresses and forms as nobody would write them who means well: told, never an error of ours."""

import itertools
import os
import re

import lxml.html
import pytest
from django.db import transaction
from django.test import Client

from tests.factories.staff import StaffFactory
from tests.integration.admin.addresses import every_address, fill
from tests.integration.admin.test_sweep import SUPERUSER

pytestmark = pytest.mark.django_db

ALL = bool(os.environ.get("ADMIN_SWEEP"))
VALUES = (
    "a\0b",
    "99999999999999999999",
    "-1",
    "1e309",
    "NaN",
    "☃' or 1=1 --",
    "[(\\",
    "9999-12-31",
    "0001-01-01T00:00",
    "1" * 5_000,
    "٣",
    "",
)
# Making an index in the transaction of a test is what the database refuses; see the tests of it.
SWITCHES = re.compile(r"/embeddingspace/\d+/(switch|switch-anyway|go-back)/$")
LEAVES = {"/admin/logout/", "/admin/login/", "/admin/password_change/"}


@pytest.fixture
def superuser(client):
    fill(1)
    client.force_login(StaffFactory(role=SUPERUSER))
    client.raise_request_exception = False
    return client


def chosen(turn):
    """Return the values to try in a turn: all of them where the sweep asks for it, else one."""
    if ALL:
        return VALUES
    return (VALUES[turn % len(VALUES)],)


def send(client, method, url, values):
    """Send a request and take back what it did; return what is wrong with the answer."""
    with transaction.atomic():
        try:
            response = getattr(client, method)(url, values)
        finally:
            transaction.set_rollback(True)
    if response.status_code < 500:
        return ""
    error = response.exc_info[1] if getattr(response, "exc_info", None) else ""
    return f"{method} {url} {str(values)[:200]}: {type(error).__name__} {error}"


def forms_of(page):
    """Yield method, fields and buttons of each form of a page."""
    if not page["Content-Type"].startswith("text/html") or not page.content.strip():
        return
    for form in lxml.html.fromstring(page.content).forms:
        if form.get("action") not in LEAVES:
            buttons = form.xpath(".//button[@name] | .//input[@type='submit'][@name]")
            yield form.method.lower(), form.form_values(), [each.get("name") for each in buttons]


def crafted(fields, buttons, turn):
    """Yield what to send in place of the fields: all of them, and each by itself in the sweep."""
    pressed = {"_save": "Save", **dict.fromkeys(buttons[:1], "1")}
    names = {name for name, _ in fields if name != "csrfmiddlewaretoken"}
    kept = {name for name in names if name.startswith("initial-") or "_FORMS" in name}
    for value in chosen(turn):
        if ALL or turn % 2:
            yield {**pressed, **dict.fromkeys(names, value)}
        if ALL or not turn % 2:
            yield {**dict(fields), **pressed, **dict.fromkeys(names - kept, value)}
        for name in sorted(names) if ALL else ():
            yield {**dict(fields), **pressed, name: value}


def test_forms__bear_every_value(superuser):
    faults, turns = [], itertools.count()
    for address in every_address():
        if address.url in LEAVES or SWITCHES.search(address.url):
            continue
        forms = list(forms_of(superuser.get(address.url)))
        for method, fields, buttons in forms:
            for values in crafted(fields, buttons, next(turns)):
                faults += filter(None, [send(superuser, method, address.url, values)])
        if ALL or not forms:
            faults += filter(None, [send(superuser, "post", address.url, {})])
    assert not faults, "\n".join(faults)


RELATIONS = (
    ("knowledge", "document", "entities"),
    ("knowledge", "document", "supersedes"),
    ("knowledge", "document", "source"),
    ("knowledge", "chunkembedding", "chunk"),
    ("retrieval", "judgement", "question"),
    ("knowledge", "source", "owner"),
    ("nonsense", "\0", "x"),
)


def test_further_pages__bear_every_parameter(superuser):
    requests = [
        ("/admin/autocomplete/", {"app_label": app, "model_name": model, "field_name": field})
        for app, model, field in RELATIONS
    ]
    names = ("question", "entity", "sources", "types", "profile", "against", "since", "as_of")
    requests += [
        ("/admin/preview/", {"question": "grail", name: value})
        for name in (*names, "until", "access_tags", "top_k", "why_not")
        for value in chosen(len(name))
    ]
    faults = [send(superuser, "get", url, values) for url, values in requests]
    for value in VALUES if ALL else VALUES[:5]:
        for url, values in requests[: len(RELATIONS)]:
            faults.append(send(superuser, "get", url, {**values, "term": value, "page": value}))
        moment = f"2026-01-01T00:00:00+00:00~{value}~1"
        for name, given in (("after", value), ("after", moment), ("since", value), ("kind", value)):
            faults.append(send(superuser, "get", "/admin/changes/", {name: given}))
        faults.append(send(superuser, "get", "/admin/search/", {"s": value, "page": value}))
        for url in ("/admin/knowledge/entity/add/", "/admin/retrieval/judgement/add/"):
            given = dict.fromkeys(("parent", "document", "question", "name"), value)
            faults.append(send(superuser, "get", url, given))
    told = "\n".join(filter(None, faults))
    assert not told, told


@pytest.mark.parametrize(
    "url",
    [
        "/admin/what-if/source/99999999999999999999/",
        "/admin/what-if/nonsense/1/",
        "/admin/changes/knowledge/source/99999999999999999999/",
        "/admin/r/99999999999999999999/99999999999999999999/",
        "/admin/golden-set/export/nonsense/",
    ],
)
def test_addresses__of_numbers_that_cannot_be(superuser: Client, url):
    assert superuser.get(url).status_code == 404
    assert superuser.post(url).status_code in {404, 405}
