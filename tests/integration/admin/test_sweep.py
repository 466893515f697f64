"""Every page of the admin, opened with every role."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crmind.roles import ADMINISTRATOR, CURATOR, VIEWER
from tests.factories.staff import StaffFactory
from tests.integration.admin import pages

pytestmark = pytest.mark.django_db

SUPERUSER = "superuser"
EVERYTHING = frozenset(model._meta.label_lower for model in pages.models())
QUEUE = frozenset(label for label in EVERYTHING if label.startswith("django_q."))

SEEN = {
    VIEWER: pages.SEEN_BY_VIEWERS,
    CURATOR: pages.SEEN_BY_CURATORS,
    ADMINISTRATOR: pages.SEEN_BY_ADMINISTRATORS,
    SUPERUSER: EVERYTHING,
}
ADDED = {
    VIEWER: frozenset(),
    CURATOR: pages.ADDED_BY_CURATORS,
    ADMINISTRATOR: pages.ADDED_BY_ADMINISTRATORS,
    SUPERUSER: pages.ADDED_BY_ADMINISTRATORS | {"auth.group", "django_q.schedule"},
}


def test_sweep__covers_every_model():
    known = pages.SEEN_BY_ADMINISTRATORS | QUEUE
    assert known == EVERYTHING


@pytest.mark.parametrize("role", [VIEWER, CURATOR, ADMINISTRATOR, SUPERUSER])
def test_sweep__lists_and_forms_by_role(client, role):
    pages.populate(1)
    client.force_login(StaffFactory(role=role))

    seen = {
        model._meta.label_lower: client.get(pages.list_url(model)).status_code
        for model in pages.models()
    }
    added = {
        model._meta.label_lower: client.get(pages.add_url(model)).status_code
        for model in pages.models()
    }

    assert seen == {label: 200 if label in SEEN[role] else 403 for label in EVERYTHING}
    assert added == {label: 200 if label in ADDED[role] else 403 for label in EVERYTHING}


@pytest.mark.parametrize("role", [VIEWER, CURATOR, ADMINISTRATOR, SUPERUSER])
def test_sweep__pages_of_rows_by_role(client, role):
    pages.populate(1)
    client.force_login(StaffFactory(role=role))
    rows = [row for model in pages.models() if (row := model._default_manager.first())]

    opened = {row._meta.label_lower: client.get(pages.change_url(row)).status_code for row in rows}

    assert len(rows) == len(pages.SEEN_BY_ADMINISTRATORS)
    assert opened == {label: 200 if label in SEEN[role] else 403 for label in opened}


def test_sweep__anonymous_readers_are_asked_to_sign_in(client):
    urls = [pages.list_url(model) for model in pages.models()]
    urls += [reverse("preview"), reverse("admin:index")]

    for url in urls:
        response = client.get(url)
        assert response.status_code == 302
        assert response.url.startswith("/admin/login/")


def test_sweep__users_without_a_role_are_refused(client):
    client.force_login(StaffFactory())

    assert {client.get(pages.list_url(model)).status_code for model in pages.models()} == {403}
    assert client.get(reverse("preview")).status_code == 403


def test_sweep__permission_to_queue_tables_opens_nothing(client):
    person = StaffFactory()
    person.user_permissions.set(pages.queue_permissions())
    client.force_login(person)

    queue = [model for model in pages.models() if model._meta.label_lower in QUEUE]
    assert len(queue) == 4
    assert {client.get(pages.list_url(model)).status_code for model in queue} == {403}
    assert {client.post(pages.add_url(model)).status_code for model in queue} == {403}


@pytest.mark.parametrize("model", pages.models(), ids=lambda model: model._meta.label_lower)
def test_sweep__list_asks_the_same_number_of_queries_for_more_rows(client, model):
    client.force_login(StaffFactory(role=SUPERUSER))
    pages.populate(2)
    few = count_queries(client, pages.list_url(model))
    pages.populate(10)

    assert count_queries(client, pages.list_url(model)) == few <= 14


def test_sweep__first_page_asks_the_same_number_of_queries_for_more_rows(client):
    client.force_login(StaffFactory(role=SUPERUSER))
    pages.populate(2)
    few = count_queries(client, reverse("admin:index"))
    pages.populate(10)

    assert count_queries(client, reverse("admin:index")) == few <= 20


@pytest.mark.parametrize(
    "query",
    [
        "knowledge_document_changelist?status__exact=failed",
        "knowledge_document_changelist?trouble=yes",
        "knowledge_document_changelist?type=blog_post",
        "knowledge_document_changelist?q=grail",
        "knowledge_chunk_changelist?q=holy",
        "knowledge_chunk_changelist?q='%26!*(",
        "knowledge_chunk_changelist?p=3",
        "knowledge_ingestionrun_changelist?status__exact=done",
        "cachemgr_cachedresponse_changelist?state=served",
        "cachemgr_cachedresponse_changelist?state=expired",
        "cachemgr_cachedresponse_changelist?state=withdrawn",
        "cachemgr_cachedresponse_changelist?document=1",
        "retrieval_searchlog_changelist?verdict=weak",
    ],
)
def test_sweep__filters_and_searches(client, query):
    client.force_login(StaffFactory(role=SUPERUSER))
    pages.populate(2)
    name, _, parameters = query.partition("?")

    assert client.get(f"{reverse(f'admin:{name}')}?{parameters}").status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "knowledge_document_changelist?source__id__exact=abc",
        "knowledge_chunk_changelist?document__id__exact=abc",
        "knowledge_chunk_changelist?document__id__exact=99999999999999999999",
        "knowledge_chunk_changelist?is_switched_off__exact=maybe",
        "cachemgr_cachedresponse_changelist?document=abc",
        "cachemgr_cachedresponse_changelist?document=99999999999999999999",
        "cachemgr_cachedresponse_changelist?state=nonsense",
        "knowledge_source_changelist?p=999",
    ],
)
def test_sweep__wrong_filters_never_fail(client, query):
    client.force_login(StaffFactory(role=SUPERUSER))
    pages.populate(1)
    name, _, parameters = query.partition("?")

    assert client.get(f"{reverse(f'admin:{name}')}?{parameters}").status_code in {200, 302}


def count_queries(client, url):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(url).status_code == 200
    return len(queries)
