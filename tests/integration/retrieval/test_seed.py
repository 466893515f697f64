"""What every installation starts with."""

import pytest

from retrieval.models import Intent
from retrieval.seed import INTENTS, seed_intents

pytestmark = pytest.mark.django_db


def test_seed_intents__once_and_edits_stay(seeded):
    seed_intents()
    Intent.objects.filter(slug="news").update(boost=0.01, enabled=False)
    seed_intents()
    assert Intent.objects.count() == len(INTENTS) == 6
    news = Intent.objects.get(slug="news")
    assert (news.boost, news.enabled) == (0.01, False)
    assert set(news.preferred_types.values_list("slug", flat=True)) == {"news_article", "blog_post"}
