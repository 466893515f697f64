"""Opens every page of the admin, in all its ways, as every role over a large stock (`make sweep`).

Not collected by default. The file that ADMIN_SWEEP names tells of each visit the seconds, how many
statements it took and what came back.
"""

import csv
import os
import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crmind.roles import ADMINISTRATOR, CURATOR, VIEWER
from knowledge.models import Chunk, Document, Source
from tests.factories.staff import StaffFactory
from tests.integration.admin import pages
from tests.integration.admin.addresses import every_address
from tests.integration.admin.stock import CHUNKS, DOCUMENTS, fill_large

pytestmark = pytest.mark.django_db

NOBODY = "nobody"
ROLES = (ADMINISTRATOR, CURATOR, VIEWER, "no role", NOBODY)
TRIED_ORDERS = 12


def every_visit(client):
    """Yield the addresses of pages, and of lists in all their ways."""
    for address in every_address():
        yield address.url
    for model in pages.models():
        for query in _ways(client, model):
            yield f"{pages.list_url(model)}?{query}"
    source = Source.objects.order_by("pk").first()
    yield from (
        "/admin/preview/?question=Where+is+the+grail",
        f"/admin/what-if/source/{source.pk}/?trust=0.1&show=1",
        "/admin/changes/?q=trust",
        "/admin/changes/?q=nothing+like+it",
        "/admin/changes/?kind=knowledge.source&by=iris&since=2026-01-01",
        "/admin/changes/?after=2026-01-01T00:00:00%2B00:00~knowledge.source~1",
        "/admin/search/?s=source",
        *map(_autocomplete, ("document", "entities", "supersedes", "source")),
    )


def _ways(client, model):
    """Yield the queries of a list: each choice of each filter, searches, orders and pages."""
    changelist = client.get(pages.list_url(model)).context["cl"]
    for spec in changelist.filter_specs:
        for value in _choices(spec):
            yield f"{spec.expected_parameters()[0]}={value}"
    if changelist.search_fields:
        yield from ("q=grail", "q=nothing+like+it")
    for number in range(1, min(TRIED_ORDERS, len(changelist.list_display)) + 1):
        yield from (f"o={number}", f"o=-{number}")
    yield from ("p=2", "p=60", "all=")


def _choices(spec):
    field = getattr(spec, "field", None)
    if field is None:
        return [value for value, _ in spec.lookup_choices][:6]
    if field.is_relation:
        first = field.related_model._default_manager.order_by("pk").first()
        return [first.pk] if first else []
    return [value for value, _ in field.flatchoices] or ["1", "0"]


def _autocomplete(field):
    names = "app_label=knowledge&model_name=document"
    name = {"document": "supersedes"}.get(field, field)
    return f"/admin/autocomplete/?{names}&field_name={name}&term={'' if name == field else 'gra'}"


def open_page(client, url):
    """Return what came back, the statements and the seconds it took."""
    with CaptureQueriesContext(connection) as queries:
        began = time.perf_counter()
        response = client.get(url)
        seconds = time.perf_counter() - began
    return response.status_code, [each["sql"] for each in queries], seconds


def sign_in(client, role):
    client.logout()
    if role != NOBODY:
        client.force_login(StaffFactory(role="" if role == "no role" else role))


def sweep(client, visits, path):
    """Open every page as every role, write down what it took; return the pages that failed."""
    failed = []
    with open(path, "w", encoding="utf-8", newline="") as file:
        written = csv.writer(file, delimiter="\t", lineterminator="\n")
        written.writerow(("seconds", "statements", "status", "role", "address"))
        for role in ROLES:
            sign_in(client, role)
            for url in visits:
                status, statements, seconds = open_page(client, url)
                written.writerow((f"{seconds:.3f}", len(statements), status, role, url))
                file.flush()
                failed += [f"{role} {url}"] if status >= 500 else []
    return failed


def test_sweep__no_page_fails(client):
    fill_large()
    assert Chunk.objects.count() >= CHUNKS
    assert Document.objects.count() >= DOCUMENTS
    sign_in(client, "superuser")
    visits = list(every_visit(client))

    failed = sweep(client, visits, os.environ.get("ADMIN_SWEEP", "sweep.tsv"))

    assert len(visits) > 300
    assert not failed, "\n".join(failed)
