"""What is kept of a search."""

import pytest

from retrieval.models import SearchLog

pytestmark = pytest.mark.django_db


def test_search__is_logged(castle):
    result = castle.search("unladen swallow", top_k=1)
    log = SearchLog.objects.get()
    assert (log.question, log.verdict, log.profile_slug, log.origin) == (
        "unladen swallow",
        result.judgment.verdict.value,
        "balanced",
        "api",
    )
    assert log.chunk_ids == [castle.chunk_id("swallow.txt")]
    assert log.filters == {"access_tags": ["everyone"]}


def test_search__logging_can_be_switched_off(castle, settings):
    settings.CRMIND_RETRIEVAL = {"IS_SEARCH_LOGGED": False}
    castle.search("unladen swallow")
    assert not SearchLog.objects.exists()


def test_search__questions_can_be_kept_as_hashes_only(castle, settings):
    settings.CRMIND_RETRIEVAL = {"SEARCH_LOG_QUESTIONS": "hashed"}
    for question in ("Who carries a coconut?", "who carries a COCONUT?", "Where is the grail?"):
        castle.search(question)
    first, second, third = SearchLog.objects.order_by("id")
    assert (first.question, first.interpretation) == ("", {})
    assert first.question_hash == second.question_hash != third.question_hash
    assert (first.verdict, len(first.chunk_ids)) == ("answerable", 4)
    assert "coconut" not in str(vars(first)).casefold()
