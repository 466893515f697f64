"""What holds for the statements of one search."""

import pytest
from django.db import connection
from django.utils import timezone

from knowledge.models import CorpusStatistic
from retrieval.conf import RetrievalSettings
from retrieval.search.session import search_session

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("sizes", "setting", "depth", "width"),
    [
        ([], 200, 100, 200),
        ([], 40, 100, 100),
        ([150_000], 200, 100, 200),
        ([400_000, 200_000], 200, 100, 600),
        ([400_000, 200_000], 700, 100, 700),
        ([50_000_000], 200, 100, 1_000),
        ([], 5_000, 100, 1_000),
    ],
)
def test_search_session__as_wide_as_the_corpus_needs(sizes, setting, depth, width):
    for language, size in zip(("english", "german"), sizes, strict=False):
        CorpusStatistic.objects.create(
            language=language, chunk_count=size, sampled_fraction=1.0, refreshed_at=timezone.now()
        )
    settings = RetrievalSettings(hnsw_ef_search=setting)
    with search_session(settings, depth=depth), connection.cursor() as cursor:
        cursor.execute("show hnsw.ef_search")
        assert cursor.fetchone() == (str(width),)
