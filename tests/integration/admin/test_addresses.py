"""Every address of the admin, found and not listed: who gets in, and what it asks the database."""

import re

import pytest
from django.apps import apps
from django.contrib.admin.sites import site
from django.contrib.admin.utils import quote
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from crmind.roles import ADMINISTRATOR, CURATOR, VIEWER
from tests.factories.staff import StaffFactory
from tests.integration.admin import pages
from tests.integration.admin.addresses import UNKNOWN, every_address, fill
from tests.integration.admin.test_sweep import ADDED, SEEN, SUPERUSER

pytestmark = pytest.mark.django_db

NO_ROLE = ""
ROLES = [NO_ROLE, VIEWER, CURATOR, ADMINISTRATOR, SUPERUSER]

# Whoever is signed in at all may open these; they tell of nothing.
OPEN_TO_STAFF = {
    "index",
    "login",
    "logout",
    "password_change",
    "password_change_done",
    "jsi18n",
    "search",
    "view_on_site",
}
REFUSED = {403, 404, 405}
QUERIES = 24
WRITES = re.compile(r"^\s*(INSERT INTO|UPDATE|DELETE FROM) \"?(\w+)", re.IGNORECASE)
OF_THE_SESSION = {"django_session", "auth_user"}
COUNTS_CHUNKS = re.compile(
    r"COUNT\(\*\)(?:(?!\bLIMIT\b).)*FROM \"knowledge_chunk(embedding)?\"(?:(?!\bLIMIT\b).)*$",
    re.IGNORECASE | re.DOTALL,
)
WIDE = (
    '"knowledge_chunkembedding"."vector"',
    '"search_vector"',
    '"cachemgr_cachedresponse"."vector"',
)
OF_ONE_DOCUMENT = '"knowledge_chunk"."document_id" = '
BODY = '"knowledge_documentbody"."text"'


def sign_in(client, role):
    """Sign a person of that role in, who may have none."""
    person = StaffFactory(role=role) if role else StaffFactory()
    client.force_login(person)
    return person


def is_right(address, status, *, person, role):
    """Return whether the rules give a person of that role this status."""
    if address.name not in OPEN_TO_STAFF and role == NO_ROLE:
        return status in REFUSED or (not address.kind and status == 302)
    if not address.label:
        return status < 500
    return is_right_of_model(address, status, person=person, role=role)


def is_right_of_model(address, status, *, person, role):
    """Return whether that holds for a page of a model; a kind unknown here needs sight of it."""
    sees = address.label in SEEN[role]
    match address.kind:
        case "changelist" | "history" | "change":
            return status == (200 if sees else 403)
        case "add":
            return status == (200 if address.label in ADDED[role] else 403)
        case "delete":
            allowed = person.has_perm(address.label.replace(".", ".delete_"))
            return status in ({200, 403} if allowed else {403})
        case "":
            return status == 302
    return status < 500 if sees else status in REFUSED


@pytest.mark.parametrize("role", ROLES)
def test_addresses__by_role_and_looking_changes_nothing(client, role):
    fill(1)
    person = sign_in(client, role)

    found, written = {}, {}
    for each in every_address():
        with CaptureQueriesContext(connection) as queries:
            found[each] = client.get(each.url).status_code
        if tables := written_by(queries):
            written[each.url] = tables

    assert len(found) > 120
    wrong = {
        each.url: status
        for each, status in found.items()
        if not is_right(each, status, person=person, role=role)
    }
    assert wrong == {}
    assert written == {}


def test_addresses__something_stands_for_every_parameter():
    fill(1)
    assert every_address()
    assert not UNKNOWN, "Say in addresses.py what stands for these."


def test_addresses__strangers_are_asked_to_sign_in(client):
    fill(1)

    answers = {each.url: client.get(each.url) for each in every_address()}
    answers |= {f"POST {each.url}": client.post(each.url) for each in every_address()}

    let_in = {url: answer.status_code for url, answer in answers.items() if not is_asked(answer)}
    assert let_in == {"/admin/login/": 200, "POST /admin/login/": 200}


def is_asked(answer):
    return answer.status_code == 302 and answer.url.startswith(("/admin/login/", "/admin/"))


@pytest.mark.parametrize("role", [NO_ROLE, VIEWER])
def test_addresses__those_who_only_look_change_nothing_by_sending(client, role):
    fill(1)
    person = sign_in(client, role)
    urls = [each.url for each in every_address() if each.kind not in {"logout", "login"}]

    def send(url):
        sent = [client.post(url, {"_form_submitted": "True", "post": "yes", "_save": "Save"})]
        client.force_login(person)
        return sent[0]

    assert writes(send, urls) == {}


@pytest.mark.parametrize("role", [NO_ROLE, VIEWER])
def test_actions__those_who_only_look_start_none(client, role, rf):
    fill(1)
    person = sign_in(client, role)
    request = rf.get("/")
    request.user = StaffFactory(role=SUPERUSER)
    started = {}
    for model in pages.models():
        row = model._default_manager.order_by("pk").first()
        for action in site.get_model_admin(model).get_actions(request):
            form = {"action": action, "_selected_action": [row.pk], "confirmed": "yes", "post": "y"}
            made = writes(lambda url, form=form: client.post(url, form), [pages.list_url(model)])
            started |= {f"{model._meta.label_lower} {action}": made} if made else {}
        client.force_login(person)

    assert started == {}


def test_addresses__nothing_is_sent_without_the_token(client):
    fill(1)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(StaffFactory(role=SUPERUSER))

    answers = {each.url: strict.post(each.url).status_code for each in every_address()}

    assert {url: status for url, status in answers.items() if status != 403} == {}


def test_addresses__ask_no_more_for_more_rows_and_read_nothing_wide(client):
    sign_in(client, SUPERUSER)
    fill(3)
    addresses = every_address()
    for concrete in (True, False):  # read once in a process
        ContentType.objects.get_for_models(*apps.get_models(), for_concrete_models=concrete)
    few = {each: statements(client, each.url) for each in addresses}
    fill(27)
    many = {each: statements(client, each.url) for each in addresses}

    grown = {
        each.url: (len(few[each]), len(many[each]))
        for each in addresses
        if len(few[each]) != len(many[each])
    }
    assert grown == {}
    assert {each.url: len(asked) for each, asked in many.items() if len(asked) > QUERIES} == {}
    dear = [(each.url, sql) for each in addresses for sql in many[each] if is_dear(each, sql)]
    assert dear == []


def is_dear(address, sql):
    """Return whether a statement counts all passages, or reads what a page does not show."""
    columns = sql.partition(" FROM ")[0]
    is_list = address.kind == "changelist" or not address.label
    return (
        (bool(COUNTS_CHUNKS.search(sql)) and OF_ONE_DOCUMENT not in sql)
        or any(column in columns for column in WIDE)
        or (is_list and BODY in columns)
    )


@pytest.mark.parametrize("key", ["99999999999999999999", "☃ or 1=1", "\0"])
def test_addresses__of_rows_that_do_not_exist(client, key):
    fill(1)
    sign_in(client, SUPERUSER)
    addresses = every_address(key=quote(key))

    failed = {
        f"{method} {each.url}": status
        for each in addresses
        for method in ("get", "post")
        if (status := getattr(client, method)(each.url).status_code) >= 500
        or (status == 200 and each.kind in {"change", "delete", "history"})
    }
    assert len(addresses) > 120
    assert failed == {}


def statements(client, url):
    """Return what a page asks the database."""
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    return [query["sql"] for query in queries]


def writes(send, urls):
    """Return the tables that requests to these addresses wrote, by address."""
    written = {}
    for url in urls:
        with CaptureQueriesContext(connection) as queries:
            assert send(url).status_code < 500, url
        if tables := written_by(queries):
            written[url] = tables
    return written


def written_by(queries):
    """Return the tables that were written, but for the session's own."""
    tables = {match[2] for query in queries if (match := WRITES.match(query["sql"]))}
    return tables - OF_THE_SESSION
