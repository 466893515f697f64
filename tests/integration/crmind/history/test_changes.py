"""The list of changes: who may read what, searching, and its pages."""

from datetime import timedelta

import lxml.html
import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from crmind.roles import ADMINISTRATOR, CURATOR, VIEWER
from knowledge.history import acting_as
from knowledge.models import Source
from knowledge.services import set_document_trust, update_source
from tests.factories.cachemgr import EmbeddingSpaceFactory
from tests.factories.knowledge import DocumentFactory, EntityFactory, SourceFactory
from tests.factories.retrieval import SynonymFactory
from tests.factories.staff import StaffFactory
from tests.integration.admin import pages

pytestmark = pytest.mark.django_db

URL = "/admin/changes/"


def names(client, **query):
    """Return the changed rows of a page, from the top."""
    return [each.change.name for each in client.get(URL, query).context["shown"]]


def sign_in(client, role):
    person = StaffFactory(role=role)
    client.force_login(person)
    return person


def test_changes__tell_who_when_and_what(client):
    iris = StaffFactory(username="iris")
    source = SourceFactory(name="<b>Trade press</b>", trust=0.7)
    with acting_as(iris):
        update_source(source=source, trust=0.4)
    sign_in(client, VIEWER)

    page = client.get(URL).content.decode()

    assert "&lt;b&gt;Trade press&lt;/b&gt;" in page
    assert "<b>Trade press" not in page
    assert '<span class="crmind-old">0.7</span>' in page
    assert "iris," in page
    assert "Take back…" not in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "trade"}, ["Trade press"]),
        ({"q": "0.35"}, ["Trade press"]),
        ({"kind": "knowledge.entity"}, ["Hollis"]),
        ({"by": "IRIS"}, ["Trade press"]),
        ({"by": "nobody"}, []),
        ({"since": "2999-01-01"}, []),
        ({"until": "2000-01-01"}, []),
        ({"since": "2000-01-01", "until": "9999-12-31", "q": "Hollis"}, ["Hollis"]),
        ({"q": "\0"}, ["Hollis", "Trade press", "Trade press"]),
        ({"kind": "nonsense", "since": "yesterday", "after": "9~x~y"}, None),
    ],
)
def test_changes__are_searched_and_filtered(client, query, found):
    source = SourceFactory(name="Trade press", trust=0.7)
    with acting_as(StaffFactory(username="iris")):
        update_source(source=source, trust=0.35)
    EntityFactory(name="Hollis")
    sign_in(client, CURATOR)

    shown = names(client, **query)

    kinds = [each for each in shown if each != "Blog post"]
    if found is None:
        assert shown
    elif query.get("q") == "trade":
        assert kinds == ["Trade press", "Trade press"]
    else:
        assert kinds == found


def test_changes__pages_neither_repeat_nor_skip_rows_of_one_moment(client):
    for _ in range(40):
        SourceFactory()
        SynonymFactory()
        EntityFactory()
    for model in (Source, *{type(row) for row in (SynonymFactory(), EntityFactory())}):
        model.history.update(history_date=timezone.now() - timedelta(hours=1))
    sign_in(client, CURATOR)

    seen, url = [], URL
    while url:
        context = client.get(url).context
        seen += [(each.change.kind, each.change.number) for each in context["shown"]]
        url = context["older"] and f"{URL}{context['older']}"

    assert len(seen) == len(set(seen)) == 40 * 3 + 2 + 1  # and the one kind of source


def test_changes__asks_the_same_number_of_queries_for_more_rows(client):
    sign_in(client, ADMINISTRATOR)
    pages.populate(3)
    client.get(URL)  # the kinds of rows are read once in a process
    with CaptureQueriesContext(connection) as few:
        client.get(URL)
    pages.populate(30)
    with CaptureQueriesContext(connection) as many:
        assert len(client.get(URL).context["shown"]) == 50

    assert len(many) == len(few) <= 8


def test_changes__of_documents_that_a_viewer_may_not_read_stay_hidden(client):
    secret = DocumentFactory(title="Board minutes", access_tags=["board"])
    public = DocumentFactory(title="Price list")
    with acting_as(StaffFactory()):
        set_document_trust(document=secret, trust=0.1)
        set_document_trust(document=public, trust=0.1)

    sign_in(client, VIEWER)
    assert names(client, kind="knowledge.document") == ["Price list"]
    assert client.get(f"/admin/knowledge/document/{secret.pk}/history/").status_code == 404

    sign_in(client, CURATOR)
    assert names(client, kind="knowledge.document") == ["Price list", "Board minutes"]


def test_changes__what_the_admin_alone_knows_stands_among_them(client):
    administrator = sign_in(client, ADMINISTRATOR)
    person = StaffFactory(username="mara")
    form = {"username": "mara", "email": "mara@example.com", "is_staff": "on", "is_active": "on"}
    dates = {"date_joined_0": "2026-01-01", "date_joined_1": "10:00:00"}
    client.post(f"/admin/auth/user/{person.pk}/change/", {**form, **dates})

    (shown,) = client.get(URL, {"kind": "log"}).context["shown"]
    assert (shown.kind, shown.change.name, shown.change.by) == (
        "User",
        "mara",
        administrator.username,
    )
    assert shown.change.reason.startswith("Email address: empty → mara@example.com")

    sign_in(client, CURATOR)
    assert names(client, kind="log") == []


def test_changes__who_gave_whom_which_role_is_told_with_old_and_new(client):
    sign_in(client, ADMINISTRATOR)
    person = StaffFactory(username="mara", role=VIEWER)
    page = client.get(f"/admin/auth/user/{person.pk}/change/")
    (form,) = lxml.html.fromstring(page.content).xpath("//form[@id='user_form']")
    roles = Group.objects.filter(name__in=[VIEWER, CURATOR]).values_list("pk", flat=True)
    client.post(page.request["PATH_INFO"], {**dict(form.form_values()), "groups": list(roles)})

    (shown,) = client.get(URL, {"q": "Curator"}).context["shown"]
    assert shown.change.reason == "Groups: Viewer → Curator, Viewer"


def test_changes__of_the_embedding_model_in_use(client):
    space = EmbeddingSpaceFactory(status="building")
    with acting_as(StaffFactory(username="iris")):
        space.status = "ready"
        space.save(update_fields=["status"])
    sign_in(client, VIEWER)

    shown = client.get(URL, {"kind": "knowledge.embeddingspace"}).context["shown"][0]

    (change,) = shown.change.changes
    assert (change.old_words, change.new_words) == ("Being built", "Ready to switch to")
    assert (shown.change.by, shown.revert) == ("iris", "")


def test_changes__refuse_those_without_a_role(client):
    client.force_login(StaffFactory())
    assert client.get(URL).status_code == 403
    assert client.post(URL).status_code == 405


def test_object_history__of_one_row_only(client):
    source, other = SourceFactory(trust=0.7), SourceFactory()
    update_source(source=source, trust=0.4)
    update_source(source=other, trust=0.4)
    sign_in(client, CURATOR)

    response = client.get(reverse("admin:knowledge_source_history", args=[source.pk]))

    assert [each.change.type for each in response.context["shown"]] == ["~", "+"]
    assert "Take back…" in response.content.decode()
    assert client.get("/admin/knowledge/source/999/history/").status_code == 404
    assert client.get("/admin/knowledge/nonsense/1/history/").status_code == 404
