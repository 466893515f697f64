"""A browser, a server to visit, and people who are signed in."""

import os
import shutil

import pytest
from django.conf import settings as django_settings
from django.test import Client
from playwright.sync_api import sync_playwright

from crmind.roles import ADMINISTRATOR, CURATOR, VIEWER
from tests.browser.stock import fill_stock
from tests.browser.visit import WIDE, Visit
from tests.factories.staff import StaffFactory

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def find_chromium():
    """Return the path of the browser, None where there is none."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for each in PROGRAMS if (path := shutil.which(each))), None)


@pytest.fixture(scope="module")
def chromium():
    """Start the browser.

    Not for the whole session: while it lives, an event loop runs in this thread, and Django takes
    every query of the thread for one that blocks the loop.
    """
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed; `make browser` installs it")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def stock(chromium, transactional_db):
    """Store a few documents; what is stored is listed in tests/browser/stock.py."""
    return fill_stock()


@pytest.fixture
def visit(chromium, live_server, stock):
    """Return a function that opens the browser for a person, who is signed in as `role`."""
    visits = []

    def start(role=""):
        context = chromium.new_context(viewport=WIDE, locale="en-GB", reduced_motion="reduce")
        if role:
            context.add_cookies([session_cookie(role, live_server.url)])
        visits.append(Visit(context.new_page(), live_server.url))
        return visits[-1]

    yield start
    for each in visits:
        # A request under way would hold rows that the next test deletes.
        each.page.wait_for_load_state("networkidle")
        each.page.context.close()
    for each in visits:
        each.check()


@pytest.fixture
def curator(visit):
    """Give a visit of a curator."""
    return visit(CURATOR)


@pytest.fixture
def viewer(visit):
    """Give a visit of a viewer."""
    return visit(VIEWER)


@pytest.fixture
def administrator(visit):
    """Give a visit of an administrator."""
    return visit(ADMINISTRATOR)


def session_cookie(role, address):
    """Return the cookie of a signed-in person with that role."""
    client = Client()
    client.force_login(StaffFactory(role=role))
    name = django_settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": address}
