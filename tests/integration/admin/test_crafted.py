"""What people type into addresses and forms that no link of ours would: never an error of ours."""

import pytest
from django.contrib import admin

from knowledge.models import ApiKey, Entity, IngestionRun, Source, SourceType
from tests.factories.knowledge import EntityFactory, SourceFactory
from tests.factories.staff import StaffFactory
from tests.integration.admin import pages
from tests.integration.admin.test_sweep import SUPERUSER

pytestmark = pytest.mark.django_db

HUGE = "99999999999999999999"
NUL = "\0"
WHOLE = "The list cannot be limited to what the address says: it is shown whole."


@pytest.fixture
def browser(client):
    """Sign in somebody who may open everything."""
    client.force_login(StaffFactory(role=SUPERUSER))
    return client


def filters_of(model):
    """Return the parameters of the filters of a list, and whether each is of a relation."""
    page = admin.site.get_model_admin(model)
    for each in page.list_filter:
        if isinstance(each, tuple):
            is_relation = page.opts.get_field(each[0]).is_relation
            yield f"{each[0]}__{'id__' if is_relation else ''}exact", is_relation
        elif not isinstance(each, str):
            yield each.parameter_name, False


def test_lists__bear_any_value_of_their_filters(browser):
    pages.populate(1)
    answers = {}
    for model in pages.models():
        for name, is_relation in filters_of(model):
            for value in (NUL, HUGE, "letters") if is_relation else (NUL,):
                url = pages.list_url(model)
                answers[url, name, value] = browser.get(url, {name: value}).status_code

    assert len(answers) > 30
    assert {each for each, status in answers.items() if status not in {200, 302}} == set()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name__regex", "("),
        ("owner__password__startswith", "a"),
        ("name__exact", NUL),
        ("id__exact", "9" * 5_000),
        ("created_at__gte", "0000-13-45"),
        ("nothing", "1"),
    ],
)
def test_list__limited_in_no_plain_way_is_shown_whole_and_says_so(browser, name, value):
    SourceFactory()
    response = browser.get(pages.list_url(Source), {name: value}, follow=True)
    assert response.context["cl"].result_count == 1
    assert WHOLE in response.content.decode()


@pytest.mark.parametrize("model", [Source, SourceType, Entity, IngestionRun, ApiKey])
@pytest.mark.parametrize("key", [HUGE, "letters", NUL])
def test_actions__bear_any_key(browser, model, key):
    form = {"action": "delete_selected", "_selected_action": [key]}
    response = browser.post(pages.list_url(model), form)
    assert response.status_code in {200, 302}
    said = [str(each) for each in response.wsgi_request._messages]
    is_text = model is ApiKey and key != NUL
    assert is_text or said == ["What was chosen is not in this list. Choose again."]


@pytest.mark.parametrize("key", [HUGE, "letters \u00b2", NUL])
def test_forms__bear_any_key_and_initial_value(browser, key):
    source, entity = SourceFactory(mapping={}), EntityFactory()
    row, of_entity = pages.change_url(source), pages.change_url(entity)
    schedule = f"{key} {key} * * {key}"
    for url, given in (
        (pages.add_url(Source), {"source_type": key, "owner": key, "refresh_schedule": schedule}),
        (row, {"source_type": key, "owner": key, "access_tags": key, "refresh_schedule": schedule}),
        (pages.add_url(Entity), {"parent": key, "kind": key}),
        (of_entity, {"name": key, "parent": key, "aliases": key, "kind": "account"}),
        (pages.add_url(ApiKey), {"expiry_date": key, "access_tags": key}),
        (pages.add_url(SourceType), {"authority": key, "slug": key}),
    ):
        assert browser.get(url, given).status_code == 200, url
        answer = browser.post(url, given)
        assert answer.status_code == 200, url
        assert answer.context["adminform"].form.errors, url


def test_list__a_row_that_is_gone_meanwhile_is_told(browser):
    source, gone = SourceFactory(trust=0.5), SourceFactory(trust=0.5)
    sent = {"form-TOTAL_FORMS": "2", "form-INITIAL_FORMS": "2", "_save": "Save"}
    for number, row in enumerate((source, gone)):
        sent |= {f"form-{number}-id": row.pk, f"form-{number}-trust": "0.9"}
    gone.delete()

    response = browser.post(pages.list_url(Source), sent)

    assert response.status_code == 200
    assert Source.objects.get().trust == 0.5


def test_autocomplete__bears_any_term(browser):
    for model, field in (("entity", "parent"), ("ingestionrun", "source"), ("source", "owner")):
        asked = {"app_label": "knowledge", "model_name": model, "field_name": field, "term": NUL}
        answer = browser.get("/admin/autocomplete/", asked)
        assert (answer.status_code, answer.json()["results"]) == (200, [])
    for model, field in (("sourcetype", "sources"), ("source", "\0"), ("nothing", "x"), (NUL, NUL)):
        asked = {"app_label": "knowledge", "model_name": model, "field_name": field}
        assert browser.get("/admin/autocomplete/", asked).status_code == 403
