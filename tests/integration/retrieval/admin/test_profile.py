"""Ranking profiles in the admin: every save keeps the version before it."""

import pytest

from retrieval.models import RankingProfile, RankingProfileVersion
from retrieval.seed import seed_profiles
from tests.factories.retrieval import RankingProfileFactory

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

    response = curator.post(page_of(default_profile), form_of(default_profile, trust_weight=0.9))

    assert response.status_code == 302
    version = RankingProfileVersion.objects.get()
    assert version.values["trust_weight"] == before
    assert version.changed_by == response.wsgi_request.user
    assert RankingProfile.objects.get(pk=default_profile.pk).trust_weight == 0.9
    page = curator.get(page_of(default_profile)).content.decode()
    assert f"trust weight was {before}" in page


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
    response = viewer.post(page_of(default_profile), form_of(default_profile, trust_weight=0.9))

    assert response.status_code == 403
