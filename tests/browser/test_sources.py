"""Sources as a curator works on them: from the first page to a change that is taken back."""

import re

from django.urls import reverse
from playwright.sync_api import expect

from crmind.roles import CURATOR
from knowledge.models import Source
from tests.factories.retrieval import SearchLogFactory

HOSTILE = "<img src=x onerror=alert(1)>"


def test_home__leads_to_what_stands_behind_each_figure(curator, stock):
    source = stock.castle.source
    Source.objects.filter(pk=source.pk).update(
        name=HOSTILE, health="failing", health_reason="Gone."
    )
    for verdict in ("answerable", "weak", "none"):
        SearchLogFactory(verdict=verdict, question=HOSTILE)

    curator.open("/admin/")
    curator.sees("The last 30 days")
    curator.sees("Gone.")
    expect(curator.page.locator("canvas")).to_be_visible()
    curator.look("home")
    curator.page.get_by_role("link", name=HOSTILE).first.click()
    curator.page.wait_for_url(re.compile("source__id__exact"))
    curator.sees(stock.castle.title)
    curator.open("/admin/")
    curator.follow("Up to a year")
    curator.sees("Only: Published at before")
    curator.look("limited")


def test_trust__is_changed_in_the_list_and_taken_back(curator, stock):
    source = stock.castle.source
    before = source.trust
    curator.open(reverse("admin:knowledge_source_changelist"))
    curator.look("sources")
    field = curator.page.locator("input[name$='-trust']:not([type=hidden])").first
    field.fill("1.5")
    curator.press("Save", exact=False)
    curator.sees("less than or equal to 1.0")
    curator.page.locator("input[name$='-trust']:not([type=hidden])").first.fill("0.15")
    curator.press("Save", exact=False)
    source.refresh_from_db()
    assert source.trust == 0.15

    curator.open(reverse("changes"))
    curator.look("changes")
    curator.follow("Take back…")
    curator.sees(f"{before:g}")
    curator.look("take-back")
    curator.press("Take back")

    curator.sees("the change was taken back")
    curator.sees("Took back the change of")
    curator.look("source-history")
    source.refresh_from_db()
    assert source.trust == before


def test_list__several_numbers_are_tried_before_they_are_saved_and_enter_saves(curator, stock):
    stored = Source.objects.order_by("name", "id").values_list("trust", flat=True)
    before = list(stored[:2])
    curator.open(reverse("admin:knowledge_source_changelist"))
    fields = curator.page.locator("input[name$='-trust']:not([type=hidden])")
    fields.nth(0).fill("0.11")
    fields.nth(1).fill("0.12")
    curator.press("What would this change?", exact=False)
    curator.sees("2 sources would change together:")
    curator.look("what-if-list")
    assert list(stored[:2]) == before
    curator.press("Save", exact=False)
    assert list(stored[:2]) == [0.11, 0.12]
    curator.press("Take it back", exact=False)
    assert list(stored[:2]) == before

    fields.nth(0).fill("0.13")
    fields.nth(0).press("Enter")
    curator.sees("was changed successfully")
    assert stored[0] == 0.13


def test_retire__tells_what_stops_answering(curator, stock):
    source = stock.castle.source
    curator.open(reverse("admin:knowledge_source_change", args=[source.pk]))
    curator.look("source")
    curator.follow("Retire")
    curator.sees("will no longer be searched")
    curator.look("source-retire")
    curator.follow("No, go back")
    curator.follow("Retire")
    curator.press("Retire")

    curator.sees("The source is retired.")
    source.refresh_from_db()
    assert not source.enabled


def test_source__two_people_at_once_are_told(visit, stock):
    source = stock.castle.source
    first, second = visit(CURATOR), visit(CURATOR)
    url = reverse("admin:knowledge_source_change", args=[source.pk])
    first.open(url)
    second.open(url)
    first.page.locator("#id_trust").fill("0.2")
    first.press("Save")
    second.page.locator("#id_trust").fill("0.6")
    second.page.locator("#id_location").fill("https://castle.example/")
    second.press("Save")

    second.sees("Changed to “0.2” meanwhile by")
    second.look("source-conflict")
    source.refresh_from_db()
    assert (source.trust, source.location) != (0.6, "https://castle.example/")
    second.press("Save")
    source.refresh_from_db()
    assert (source.trust, source.location) == (0.6, "https://castle.example/")
