"""Profiles and their history."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from crmind.exceptions import InvalidInputError
from retrieval.evaluation.release import publish
from retrieval.exceptions import InvalidProfileError, StaleProfileError, UnknownProfileError
from retrieval.models import GoldenQuestion, RankingProfile
from retrieval.ranking.profile import Profile
from retrieval.seed import PROFILES, seed_profiles, shipped_profile
from retrieval.services import (
    AskedQuestion,
    as_profile,
    get_profile,
    grade_document,
    profile_values,
    save_profile,
)
from tests.factories.knowledge import DocumentFactory

pytestmark = pytest.mark.django_db

ALL_WEIGHTS = [name for name in profile_values(RankingProfile()) if name.endswith("_weight")]


@pytest.fixture
def balanced(db):
    seed_profiles()
    return RankingProfile.objects.get(slug="balanced")


def draft(**changes):
    return save_profile(profile=None, changes={"slug": "trial", "label": "Trial", **changes})


def test_seed_profiles__gives_the_defaults_once(balanced):
    assert get_profile() == Profile(slug="balanced", label="Balanced")
    assert get_profile("balanced") == get_profile()


def test_seed_profiles__every_one_is_published_and_as_shipped(balanced):
    assert [seed.slug for seed in PROFILES] == ["balanced", "sales", "support", "legal"]
    for seed in PROFILES:
        assert get_profile(seed.slug) == shipped_profile(seed.slug)
        assert RankingProfile.objects.get(slug=seed.slug).description == seed.description
    assert RankingProfile.objects.filter(is_default=True).get() == balanced


def test_seed_profiles__keeps_edits(balanced):
    save_profile(profile=balanced, changes={"trust_weight": 0.9})
    sales = RankingProfile.objects.get(slug="sales")
    save_profile(profile=sales, changes={"freshness_weight": 0.1, "status": "draft"})
    seed_profiles()
    assert get_profile().trust_weight == 0.9
    sales.refresh_from_db()
    assert (sales.freshness_weight, sales.status) == (0.1, "draft")
    assert RankingProfile.objects.count() == len(PROFILES)


def test_shipped_profile__unknown():
    with pytest.raises(UnknownProfileError, match="Shipped are: balanced, sales, support, legal"):
        shipped_profile("nope")


def test_seed_profiles__leaves_another_default_alone(balanced):
    other = draft(status="published", is_default=True)
    RankingProfile.objects.filter(pk=balanced.pk).delete()
    seed_profiles()
    assert get_profile().slug == other.slug == "trial"


def test_get_profile__without_a_default_says_what_to_do(db):
    with pytest.raises(UnknownProfileError, match=r"Run manage\.py seed"):
        get_profile()


def test_get_profile__a_draft_is_not_used(balanced):
    row = draft()
    with pytest.raises(UnknownProfileError, match="Published are: balanced, legal, sales"):
        get_profile("trial")
    publish(profile=row)
    assert get_profile("trial").slug == "trial"


def test_save_profile__keeps_the_earlier_version(balanced, django_user_model):
    user = django_user_model.objects.create_user("lancelot")
    changed = save_profile(profile=balanced, changes={"freshness_weight": 0.5}, user=user)
    assert (changed.version, as_profile(changed).freshness_weight) == (2, 0.5)
    (version,) = balanced.versions.all()
    assert (version.version, version.changed_by) == (1, user)
    assert version.values["freshness_weight"] == 0.25
    assert version.values["slug"] == "balanced"


def test_save_profile__of_another_version_than_was_seen_is_refused(balanced):
    save_profile(profile=balanced, changes={"bound": 0.4}, seen_version=1)
    with pytest.raises(StaleProfileError):
        save_profile(profile=balanced, changes={"bound": 0.3}, seen_version=1)
    assert get_profile("balanced").bound == 0.4


def test_grade_document__two_curators_at_once_make_one_question(transactional_db, seeded):
    documents = [DocumentFactory(), DocumentFactory()]
    together = threading.Barrier(len(documents))

    def grade(document):
        try:
            together.wait(timeout=20)
            asked = AskedQuestion(text="Where is the grail?")
            return grade_document(asked=asked, document=document, grade=2, user=None)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(documents)) as pool:
        list(pool.map(grade, documents))

    assert GoldenQuestion.objects.get().judgements.count() == len(documents)


def test_save_profile__without_a_change_makes_no_version(balanced):
    assert save_profile(profile=balanced, changes={"freshness_weight": 0.25}).version == 1
    assert not balanced.versions.exists()


def test_save_profile__a_new_default_takes_the_place_of_the_former(balanced):
    draft(status="published", is_default=True)
    balanced.refresh_from_db()
    assert not balanced.is_default
    assert get_profile().slug == "trial"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"is_default": False}, "is_default"),
        ({"status": "draft"}, "status"),
        ({"relevance_weight": 0.0}, "relevance_weight"),
        ({"weak_confidence": 0.9}, "answerable_confidence"),
        ({"vector_weight": 0.0, "keyword_weight": 0.0}, "vector_weight"),
        (dict.fromkeys(ALL_WEIGHTS, 0.0), "vector_weight"),
        ({"colour": "blue"}, "colour"),
        ({"version": 7}, "version"),
        ({"trust_weight": 1.5}, "trust_weight"),
        ({"document_cap": 0}, "document_cap"),
    ],
)
def test_save_profile__refuses_and_changes_nothing(balanced, changes, field):
    with pytest.raises(InvalidInputError) as caught:
        save_profile(profile=balanced, changes=changes)
    assert caught.value.field == field
    assert get_profile() == Profile(slug="balanced", label="Balanced")
    assert not balanced.versions.exists()


def test_save_profile__a_slug_is_taken_once(balanced):
    with pytest.raises(InvalidInputError) as caught:
        save_profile(profile=None, changes={"slug": "balanced", "label": "Again"})
    assert caught.value.field == "slug"
    assert not isinstance(caught.value, InvalidProfileError)
