"""Profiles."""

from dataclasses import fields
from typing import get_args

import pytest

from retrieval import fusion
from retrieval.exceptions import InvalidProfileError
from retrieval.models import BlendMethod, ContextOrder, FusionMethod, RankingProfile
from retrieval.ranking import profile as profiles
from retrieval.ranking.profile import Profile, check_profile
from retrieval.types import Arm


def test_profile__has_the_fields_and_defaults_of_the_model():
    row = RankingProfile()
    assert {field.name: getattr(row, field.name) for field in fields(Profile)} == {
        field.name: getattr(Profile(), field.name) for field in fields(Profile)
    }
    not_ranking = {"id", "description", "status", "is_default", "created_at", "updated_at"}
    columns = {field.name for field in RankingProfile._meta.concrete_fields}
    assert columns - not_ranking == {field.name for field in fields(Profile)}


def test_profile__knows_the_choices_of_the_model():
    assert set(get_args(fusion.Method)) == set(FusionMethod.values)
    assert set(get_args(profiles.Blend)) == set(BlendMethod.values)
    assert set(get_args(profiles.Order)) == set(ContextOrder.values)


def test_arm_weights__by_arm():
    profile = Profile(vector_weight=0.7, keyword_weight=0.3)
    assert profile.arm_weights == {Arm.VECTOR: 0.7, Arm.KEYWORD: 0.3}


@pytest.mark.parametrize(
    ("profile", "field"),
    [
        (Profile(vector_weight=0.0, keyword_weight=0.0), "vector_weight"),
        (Profile(relevance_weight=0.0), "relevance_weight"),
        (Profile(answerable_confidence=0.2, weak_confidence=0.3), "answerable_confidence"),
    ],
)
def test_check_profile__names_the_field(profile, field):
    with pytest.raises(InvalidProfileError) as caught:
        check_profile(profile)
    assert caught.value.field == field
