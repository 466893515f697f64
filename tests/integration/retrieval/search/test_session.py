"""What holds for the statements of one search."""

import pytest
from django.db import connection

from retrieval.conf import RetrievalSettings
from retrieval.search.session import search_session

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("setting", "depth", "width"), [(200, 100, 200), (40, 100, 100), (5_000, 100, 1_000)]
)
def test_search_session__as_wide_as_the_setting_and_the_depth_need(setting, depth, width):
    settings = RetrievalSettings(hnsw_ef_search=setting)
    with search_session(settings, depth=depth), connection.cursor() as cursor:
        cursor.execute("show hnsw.ef_search")
        assert cursor.fetchone() == (str(width),)
