"""The page "What would this change?"."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from crmind.roles import CURATOR
from knowledge.models import Document, Source, SourceType
from retrieval.models import RankingProfile
from retrieval.services import AskedQuestion, grade_document, save_profile
from tests.factories.staff import StaffFactory
from tests.integration.retrieval.admin.doubt import WITHOUT_TRUST
from tests.integration.retrieval.admin.grail import QUESTION, ask, document_id
from tests.integration.retrieval.admin.test_profile import form_of, page_of

RUMOURS = {"trust": "1.0", "authority_override": "1.0"}


def page(row):
    return reverse("what-if", args=[row._meta.model_name, row.pk])


@pytest.fixture
def rumours(corpus):
    document = Document.objects.get(pk=document_id("castle.txt"))
    grade_document(asked=AskedQuestion(text=QUESTION), document=document, grade=3, user=None)
    return Source.objects.get(name="Rumours")


def save_values(client, row, values, **more):
    shown = client.get(page(row), values)
    posted = {**values, "save": "1", "seen": shown.context["seen"], **more}
    return client.post(page(row), posted)


def titles(response):
    return [shown.title for shown in response.context["columns"][0].hits]


def test_show__old_and_new_order_with_quality_and_nothing_saved(curator, rumours):
    response = curator.get(page(rumours), {**RUMOURS, "show": "1"})

    outcome = response.context["outcome"]
    (effect,) = outcome["effects"]
    assert [each["title"] for each in effect["before"]] == ["castle.txt", "Rabbit"]
    assert [each["title"] for each in effect["after"]] == ["Rabbit", "castle.txt"]
    assert effect["after"][0]["move"] == "▲ from 2"
    body = response.content.decode()
    assert "1 of 1 question would get another order or verdict." in body
    assert "1.000 → 0.631 (-0.369)" in body
    assert "The golden set is small" in body
    rumours.refresh_from_db()
    assert rumours.trust == 0.2


def test_show__a_question_of_ones_own(curator, rumours):
    values = {**RUMOURS, "show": "1", "question": "Who keeps the holy grail?"}
    outcome = curator.get(page(rumours), values).context["outcome"]
    assert [effect["origin"] for effect in outcome["effects"]] == ["typed in"]

    wrong = curator.get(page(rumours), {**values, "question": "a" * 5_000})
    assert "at most 4,096 are allowed" in wrong.content.decode()


def test_show__says_where_questions_are_not_kept_in_words(curator, rumours, settings):
    settings.CRMIND_RETRIEVAL = {"SEARCH_LOG_QUESTIONS": "hashed"}
    response = curator.get(page(rumours), {**RUMOURS, "show": "1"})
    assert "What people ask is not kept in words here." in response.content.decode()


def test_save__through_the_service_with_audit_and_one_click_back(curator, rumours):
    saved = save_values(curator, rumours, RUMOURS)

    rumours.refresh_from_db()
    assert (rumours.trust, rumours.authority_override) == (1.0, 1.0)
    assert titles(ask(curator))[0] == "Rabbit"
    entry = LogEntry.objects.latest("pk")
    assert entry.user == saved.wsgi_request.user
    assert "trust from 0.2 to 1.0" in entry.change_message
    record = rumours.history.latest()
    assert record.history_user == saved.wsgi_request.user
    assert record.history_change_reason == "Saved on the page “What would this change?”."

    after = curator.get(saved.url)
    body = after.content.decode()
    assert "Saved. Taking it back would mean:" in body
    assert "Take it back" in body
    back = {**after.context["typed"], "authority_override": "", "save": "1", "is_return": "1"}
    curator.post(page(rumours), {**back, "seen": after.context["seen"]})

    rumours.refresh_from_db()
    assert (rumours.trust, rumours.authority_override) == (0.2, None)
    assert titles(ask(curator))[0] == "castle.txt"


def test_post__from_the_form_shows_and_saves_nothing(curator, rumours):
    form = curator.get(f"/admin/knowledge/source/{rumours.pk}/change/").content.decode()
    assert f'formaction="{page(rumours)}"' in form

    given = {
        "name": "Rumours",
        "trust": "0.9",
        "authority_override": "",
        "csrfmiddlewaretoken": "x",
    }
    response = curator.post(page(rumours), given)

    assert response.status_code == 302
    assert response.url == f"{page(rumours)}?trust=0.9&show=1"
    rumours.refresh_from_db()
    assert rumours.trust == 0.2


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"trust": "1.5"}, "trust"),
        ({"trust": ""}, "trust"),
        ({"trust": "nan"}, "trust"),
        ({"authority_override": "-1"}, "authority_override"),
        ({"authority_override": "much"}, "authority_override"),
    ],
)
def test_bad_values__are_told_at_the_field_and_never_saved(curator, rumours, values, field):
    for response in (
        curator.get(page(rumours), {**values, "show": "1"}),
        save_values(curator, rumours, values),
    ):
        assert response.status_code == 200
        assert list(response.context["form"].errors) == [field]
        assert response.context["outcome"] is None
    rumours.refresh_from_db()
    assert (rumours.trust, rumours.authority_override) == (0.2, None)


def test_save__of_what_somebody_changed_meanwhile_is_told(curator, rumours):
    seen = curator.get(page(rumours), RUMOURS).context["seen"]
    Source.objects.filter(pk=rumours.pk).update(trust=0.4)

    response = curator.post(page(rumours), {**RUMOURS, "save": "1", "seen": seen}, follow=True)

    assert "Somebody else changed it" in response.content.decode()
    assert response.context["typed"]["trust"] == "1.0"
    rumours.refresh_from_db()
    assert rumours.trust == 0.4


def test_kind_of_source__half_life(curator, rumours):
    kind = SourceType.objects.get(slug="blog_post")
    response = curator.get(page(kind), {"half_life_days": "0.5", "show": "1"})
    assert response.context["changes"][0]["then"] == "0.5"
    assert response.context["outcome"]["asked_count"] == 1

    save_values(curator, kind, {"half_life_days": "0.5"})
    kind.refresh_from_db()
    assert kind.half_life_days == 0.5
    bad = curator.get(page(kind), {"half_life_days": "0", "show": "1"})
    assert list(bad.context["form"].errors) == ["half_life_days"]


def test_profile__from_its_form_and_back_to_a_version(curator, rumours):
    profile = RankingProfile.objects.get(slug="balanced")
    response = curator.post(page(profile), form_of(profile, bound="0.1"), follow=True)
    assert [change["label"] for change in response.context["changes"]] == ["Bound"]
    assert response.context["outcome"]["judged_count"] == 1

    save_profile(profile=profile, changes={"bound": 0.1})
    form = curator.get(page_of(profile)).content.decode()
    assert f"{page(profile)}?bound=0.5&amp;show=1" in form
    save_values(curator, profile, {"bound": "0.5"})
    profile.refresh_from_db()
    assert (profile.bound, profile.version) == (0.5, 3)


def test_profile__contradictions_are_told_at_the_field(curator, rumours):
    profile = RankingProfile.objects.get(slug="balanced")
    response = curator.get(page(profile), {"trust_weight": "0.9", "show": "1"})
    assert "as shares they have to add up to 1" in response.content.decode()


def test_profile__clearly_worse_answers_need_a_reason(curator, guarded):
    profile = RankingProfile.objects.get(slug="balanced")
    values = {name: str(value) for name, value in WITHOUT_TRUST.items()}

    refused = save_values(curator, profile, values)

    assert "Answers would get worse" in refused.content.decode()
    assert 'name="override_reason"' in refused.content.decode()
    profile.refresh_from_db()
    assert profile.bound == 0.5

    assert save_values(curator, profile, values, override_reason="A wish").status_code == 302
    profile.refresh_from_db()
    assert profile.bound == 0.0
    assert "A wish. nDCG@10 on 3" in profile.history.latest().history_change_reason


def test_roles__only_those_who_may_save(viewer, client, rumours):
    for row in (rumours, rumours.source_type, RankingProfile.objects.first()):
        assert viewer.get(page(row)).status_code == 403
        assert viewer.post(page(row), {"save": "1"}).status_code == 403
    client.logout()
    assert client.get(page(rumours)).url.startswith("/admin/login/")


def test_unknown__rows_and_kinds(client, rumours):
    client.force_login(StaffFactory(role=CURATOR))
    assert client.get("/admin/what-if/source/0/").status_code == 404
    assert client.get("/admin/what-if/user/1/").status_code == 404


def test_stored_markup__stays_text(curator, rumours):
    evil = "<img src=x onerror=alert(1)>"
    Source.objects.filter(pk=rumours.pk).update(name=evil)
    Document.objects.update(title=evil)
    body = curator.get(page(rumours), {**RUMOURS, "show": "1", "question": f"grail {evil}"})
    assert "&lt;img src=x" in body.content.decode()
    assert "<img src=x" not in body.content.decode()
