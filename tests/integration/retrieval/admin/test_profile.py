"""Ranking profiles in the admin: every save keeps the version before it."""

import re

import pytest

from knowledge.models import Document
from retrieval.models import Judgement, RankingProfile, RankingProfileVersion
from retrieval.seed import seed_profiles
from retrieval.services import save_profile
from tests.factories.retrieval import RankingProfileFactory
from tests.integration.retrieval.admin.doubt import WITHOUT_TRUST, judge_all

ALL_WEIGHTS = (
    "vector_weight",
    "keyword_weight",
    "relevance_weight",
    "freshness_weight",
    "trust_weight",
    "authority_weight",
)


@pytest.fixture
def default_profile(db):
    seed_profiles()
    return RankingProfile.objects.get(is_default=True)


def form_of(profile, **changes):
    """Return what the browser would send for a profile, with changes."""
    values = {
        field.name: getattr(profile, field.name)
        for field in RankingProfile._meta.concrete_fields
        if field.editable and field.name != "id"
    }
    values = {name: value for name, value in {**values, **changes}.items() if value is not False}
    inline = {"TOTAL_FORMS": 0, "INITIAL_FORMS": 0, "MIN_NUM_FORMS": 0, "MAX_NUM_FORMS": 0}
    return {**values, **{f"versions-{name}": value for name, value in inline.items()}}


def page_of(profile):
    return f"/admin/retrieval/rankingprofile/{profile.pk}/change/"


def test_change__keeps_the_version_before(curator, default_profile):
    before = default_profile.trust_weight

    changes = {"trust_weight": 0.3, "relevance_weight": 0.3}
    response = curator.post(page_of(default_profile), form_of(default_profile, **changes))

    assert response.status_code == 302
    version = RankingProfileVersion.objects.get()
    assert version.values["trust_weight"] == before
    assert version.changed_by == response.wsgi_request.user
    assert RankingProfile.objects.get(pk=default_profile.pk).trust_weight == 0.3
    page = curator.get(page_of(default_profile)).content.decode()
    assert f"Trust was {before}" in page


def test_change__another_profile_becomes_the_default(curator, default_profile):
    other = RankingProfileFactory(status="published")

    response = curator.post(page_of(other), form_of(other, is_default=True))

    assert response.status_code == 302
    assert list(RankingProfile.objects.filter(is_default=True)) == [other]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"trust_weight": "1.5"}, "less than or equal to 1.0"),
        ({"relevance_weight": "0"}, "relevance_weight must be above 0"),
        ({"vector_weight": "0", "keyword_weight": "0"}, "one arm has to count"),
        (dict.fromkeys(ALL_WEIGHTS, "0"), "one arm has to count"),
        ({"answerable_confidence": "0.2"}, "must not be below weak_confidence"),
        ({"is_default": False}, "make another one the default instead"),
    ],
)
def test_change__contradictions_are_refused(curator, default_profile, changes, words):
    response = curator.post(page_of(default_profile), form_of(default_profile, **changes))

    assert response.status_code == 200
    assert words in response.content.decode()
    assert "Constraint" not in response.content.decode()
    assert not RankingProfileVersion.objects.exists()


def test_add__a_draft(curator):
    blank = RankingProfile(slug="fresh", label="Fresh first")

    response = curator.post("/admin/retrieval/rankingprofile/add/", form_of(blank))

    assert response.status_code == 302
    assert RankingProfile.objects.get().status == "draft"


def test_change__viewers_may_not(viewer, default_profile):
    response = viewer.post(page_of(default_profile), form_of(default_profile, bound=0.9))

    assert response.status_code == 403
    page = viewer.get(page_of(default_profile)).content.decode()
    assert "Half of it after days" in page
    assert "in spite of worse answers" not in page


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        (
            {"trust_weight": "0.45"},
            "trust_weight",
            "add up to 1.25; as shares they have to add up to 1. 0.32 / 0.20 / 0.36 / 0.12 keeps",
        ),
        ({"vector_weight": "0.9"}, "vector_weight", "add up to 1.35"),
        (
            {"vector_weight": "1", "keyword_weight": "0"},
            "keyword_weight",
            "nothing would be found by words any more",
        ),
        (
            {"vector_weight": "0", "keyword_weight": "1"},
            "vector_weight",
            "nothing would be found by meaning any more",
        ),
        ({"keyword_weight": "0"}, "keyword_weight", "nothing would be found by words any more"),
        ({"min_similarity": "0.99"}, "min_similarity", "nothing would be found by meaning"),
        ({"trust_weight": "nan"}, "trust_weight", "Enter a number."),
        ({"bound": "inf"}, "bound", "Enter a number."),
        ({"override_reason": "x" * 201}, "override_reason", "at most 200 characters"),
    ],
)
def test_change__bad_numbers_are_told_at_the_field(curator, default_profile, changes, field, words):
    response = curator.post(page_of(default_profile), form_of(default_profile, **changes))

    errors = response.context["adminform"].form.errors
    assert list(errors) == [field]
    assert words in " ".join(errors[field])
    assert not RankingProfileVersion.objects.exists()


def test_change__one_way_only_if_that_is_meant(curator, default_profile):
    changes = {"vector_weight": "1", "keyword_weight": "0", "looks_one_way": "on"}
    assert curator.post(page_of(default_profile), form_of(default_profile, **changes)).url
    assert RankingProfile.objects.get(pk=default_profile.pk).keyword_weight == 0


def test_change__of_what_somebody_else_changed_meanwhile_is_told_and_kept(
    curator, default_profile, django_user_model
):
    other = django_user_model.objects.create(username="mordred")
    opened = {"seen_version": default_profile.version, "bound": "0.7"}
    save_profile(profile=default_profile, changes={"document_cap": 5}, user=other)

    response = curator.post(page_of(default_profile), form_of(default_profile, **opened))

    page = response.content.decode()
    assert "mordred changed this profile after you opened it" in page
    assert "Per document was 3 and is 5." in page
    assert re.search(r'name="bound"[^>]*value="0.7"|value="0.7"[^>]*name="bound"', page)
    assert RankingProfile.objects.get(pk=default_profile.pk).bound == 0.5
    form = response.context["adminform"].form
    assert form["seen_version"].value() == "2"

    again = form_of(default_profile, **{**opened, "seen_version": 2, "document_cap": 5})
    assert curator.post(page_of(default_profile), again).status_code == 302
    saved = RankingProfile.objects.get(pk=default_profile.pk)
    assert (saved.bound, saved.document_cap) == (0.7, 5)


def test_publish__what_answers_worse_needs_a_reason_that_is_kept(curator, guarded):
    values = form_of(guarded, status="published")

    refused = curator.post(page_of(guarded), values)

    (message,) = refused.context["adminform"].form.errors["override_reason"]
    assert "nDCG@10 on 3 golden questions would be 0.631, against 1.000 of Balanced" in message
    assert RankingProfile.objects.get(pk=guarded.pk).status == "draft"

    let = curator.post(page_of(guarded), {**values, "override_reason": "The king wants it"})

    assert let.status_code == 302
    assert RankingProfile.objects.get(pk=guarded.pk).status == "published"
    record = guarded.history.latest()
    assert record.history_user == let.wsgi_request.user
    assert record.history_change_reason == (
        "In spite of worse answers: The king wants it. nDCG@10 on 3 golden questions would be"
        " 0.631, against 1.000 of Balanced."
    )


def test_publish__a_change_of_the_default_is_measured_against_itself(curator, guarded):
    default = RankingProfile.objects.get(slug="balanced")
    response = curator.post(page_of(default), form_of(default, **WITHOUT_TRUST))

    assert "override_reason" in response.context["adminform"].form.errors
    assert RankingProfile.objects.get(slug="balanced").bound == 0.5


def test_publish__a_small_golden_set_is_told_and_refuses_nothing(curator, doubtful):
    judge_all(1, right="castle.txt")

    response = curator.post(page_of(doubtful), form_of(doubtful, status="published"), follow=True)

    page = response.content.decode()
    assert "nDCG@10 on 1 golden question would be 0.631, against 1.000 of Balanced" in page
    assert "On the golden set, too small to decide by it:" in page
    assert RankingProfile.objects.get(pk=doubtful.pk).status == "published"


def test_publish__better_answers_need_no_reason(curator, guarded):
    Judgement.objects.update(document=Document.objects.get(external_id="rabbit.txt"))

    response = curator.post(page_of(guarded), form_of(guarded, status="published"), follow=True)

    assert "would be 1.000, against 0.631 of Balanced" in response.content.decode()
    assert guarded.history.latest().history_change_reason == ""


def test_publish__wrong_verdicts_need_a_reason_as_well(curator, guarded):
    default = RankingProfile.objects.get(slug="balanced")
    changes = {"weak_confidence": 1.0, "answerable_confidence": 1.0}

    refused = curator.post(page_of(default), form_of(default, **changes))

    (message,) = refused.context["adminform"].form.errors["override_reason"]
    assert "0% of the verdicts would be right, against 100%" in message
    assert RankingProfile.objects.get(slug="balanced").weak_confidence == 0.5


def test_publish__says_what_was_not_asked(curator, guarded, settings):
    least = {"LEAST_JUDGED_QUESTIONS": 2}
    settings.CRMIND_RETRIEVAL = {**least, "MOST_GOLDEN_QUESTIONS": 2}
    refused = curator.post(page_of(guarded), form_of(guarded, status="published"))
    (message,) = refused.context["adminform"].form.errors["override_reason"]
    assert "on 2 golden questions (older ones are not asked: 1) would be" in message

    settings.CRMIND_RETRIEVAL = {**least, "WHAT_IF_SECONDS": 0.000001}
    late = curator.post(page_of(guarded), form_of(guarded, status="published"))
    (message,) = late.context["adminform"].form.errors["override_reason"]
    assert "none of 3 golden questions could be asked in time" in message


def test_publish__without_a_golden_set_that_is_said(curator, doubtful):
    response = curator.post(page_of(doubtful), form_of(doubtful, status="published"), follow=True)

    words = "Not measured on the golden set: no golden question is judged yet."
    assert words in response.content.decode()


def test_publish__what_changes_no_order_is_not_measured(curator, guarded):
    default = RankingProfile.objects.get(slug="balanced")
    changes = {"label": "Well balanced", "context_tokens": 2_000}
    response = curator.post(page_of(default), form_of(default, **changes), follow=True)

    words = "Not measured on the golden set: nothing was changed that moves a document."
    assert words in response.content.decode()
    assert RankingProfile.objects.get(slug="balanced").context_tokens == 2_000
