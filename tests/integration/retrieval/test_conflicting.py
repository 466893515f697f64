"""Planted contradictions and harmless differences, with the real model and the default profile."""

from datetime import UTC, datetime, time
from pathlib import Path

import pytest
import yaml

from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.services import ensure_source, refresh_term_statistics, store_documents
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from retrieval.types import Verdict
from tests.integration.retrieval.conftest import NOW

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db]

PAIRS = yaml.safe_load(
    (Path(__file__).parents[2] / "data" / "contradictions.yaml").read_text(encoding="utf-8")
)


@pytest.fixture
def archive(seeded):
    """Give two documents for each pair, which only its own readers see."""
    seed_profiles()
    outcomes = store_documents(
        source=ensure_source(name="Archive"),
        parsed=[
            ParsedDocument(
                external_id=f"{number}-{side}",
                title=f"{side} {number}",
                text=pair[side],
                published_at=datetime.combine(day, time.min, tzinfo=UTC),
                access_tags=(f"pair-{number}",),
            )
            for number, pair in enumerate(PAIRS)
            for side, day in zip(
                ("one", "other"), pair.get("published", (NOW.date(),) * 2), strict=True
            )
        ],
        embedder=get_embedder(),
        tokenizer=get_tokenizer(),
        now=NOW,
    )
    assert len(list(outcomes)) == 2 * len(PAIRS)
    refresh_term_statistics()


def test_search__conflicting_speaks_for_contradictions_only(archive):
    said = {}
    for number, pair in enumerate(PAIRS):
        result = search(
            SearchRequest(question=pair["question"]),
            reader_tags=frozenset({f"pair-{number}"}),
            now=NOW,
        )
        said[number] = result.judgment.verdict is Verdict.CONFLICTING
    planted = [number for number, pair in enumerate(PAIRS) if pair["contradicts"]]
    assert [number for number in said if said[number] and number not in planted] == []
    found = sum(said[number] for number in planted)
    assert found / len(planted) >= 0.8, [number for number in planted if not said[number]]
