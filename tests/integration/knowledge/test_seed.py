"""The source types of a fresh installation."""

from knowledge.models import SourceType
from knowledge.seed import SOURCE_TYPES, seed_source_types


def test_seed_source_types__keeps_edits(db):
    assert seed_source_types() == len(SOURCE_TYPES)
    SourceType.objects.filter(slug="blog_post").update(authority=0.1)
    SourceType.objects.filter(slug="contract").delete()

    assert seed_source_types() == 1

    assert SourceType.objects.get(slug="blog_post").authority == 0.1
    assert SourceType.objects.get(slug="unknown").authority == 0.3
    assert SourceType.objects.count() == len(SOURCE_TYPES)
