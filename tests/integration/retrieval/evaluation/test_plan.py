"""What evaluations from the shell start from."""

import pytest
from django.db import connection

from retrieval.evaluation.arms import EvaluatedArm
from retrieval.evaluation.plan import make_plan
from retrieval.exceptions import UnknownProfileError
from retrieval.models import RankingProfile
from retrieval.seed import shipped_profile

pytestmark = pytest.mark.django_db


@pytest.fixture
def unmigrated(db, settings, tmp_path):
    """Give a database in which nothing can be read of ranking profiles."""
    settings.STATE_DIR = tmp_path
    table = RankingProfile._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER TABLE "{table}" RENAME TO "not_yet"')


def test_make_plan__before_the_first_migration_profiles_are_as_shipped(unmigrated):
    plan = make_plan((EvaluatedArm.HYBRID,), against_slug="legal")
    assert plan.profile == shipped_profile()
    assert plan.against == shipped_profile("legal")
    assert plan.arms == (EvaluatedArm.HYBRID, EvaluatedArm.AGAINST)
    with pytest.raises(UnknownProfileError, match="Shipped are: balanced"):
        make_plan((EvaluatedArm.HYBRID,), profile_slug="nope")
