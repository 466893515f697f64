"""The admin as a curator meets it first: signing in, home, sources, a document, a question."""

from django.urls import reverse
from playwright.sync_api import expect

from crmind.roles import CURATOR
from knowledge.models import Source
from retrieval.models import Synonym
from tests.factories.staff import StaffFactory


def test_login__signs_in_and_refuses_a_wrong_password(visit):
    person = StaffFactory(username="arthur", role=CURATOR)
    person.set_password("Excalibur, 1485")
    person.save()
    stranger = visit()
    stranger.open("/admin/")

    stranger.fill("Username", "arthur")
    stranger.fill("Password", "wrong")
    stranger.look("login")
    stranger.press("Log in", exact=False)
    stranger.sees("Please enter the correct username and password")
    stranger.fill("Password", "Excalibur, 1485")
    stranger.press("Log in", exact=False)

    expect(stranger.page).to_have_url(f"{stranger.address}/admin/")


def test_home__shows_what_there_is_and_asks(curator):
    curator.open("/admin/")
    curator.look("home")
    curator.page.get_by_role("textbox", name="Try a question").fill("Where is the holy grail kept?")
    curator.press("Ask", exact=False)

    curator.sees("The castle of Aaargh")


def test_sources__trust_is_edited_in_the_list(curator, stock):
    curator.open(reverse("admin:knowledge_source_changelist"))
    curator.look("sources")
    row = curator.page.get_by_role("row").filter(has_text="Rumours")
    row.locator("input[name$=-trust]:not([type=hidden])").fill("0.15")
    curator.press("Save", exact=False)

    curator.sees("was changed successfully")
    assert Source.objects.get(pk=stock.rumours.pk).trust == 0.15


def test_document__shows_state_text_and_passages(curator, stock):
    curator.open(reverse("admin:knowledge_document_change", args=[stock.castle.pk]))

    curator.sees("Its passages are searched.")
    curator.sees("behind the bridge of death")
    curator.look("document")


def test_preview__answers_and_tells_why(curator):
    curator.open(f"{reverse('preview')}?question=Where+is+the+holy+grail+kept%3F")

    curator.sees("Why it stands here")
    curator.sees("The castle of Aaargh")
    curator.look("preview")


def test_synonym__is_added(curator):
    curator.open(reverse("admin:retrieval_synonym_add"))
    curator.fill("Terms", "grail, cup")
    curator.look("synonym")
    curator.press("Save", exact=True)

    curator.sees("was added successfully")
    assert [synonym.terms for synonym in Synonym.objects.all()] == [["grail", "cup"]]
