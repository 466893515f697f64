"""Stuffed copies of little trust against one trusted document, with the real model."""

from collections import Counter

import pytest

from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document
from knowledge.services import (
    ensure_source,
    refresh_term_statistics,
    store_documents,
    update_source,
)
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from tests.integration.retrieval.conftest import EVERYONE, NOW

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db]

THINGS = ("grail", "shrubbery", "coconut", "parrot", "lumberjack")
QUESTIONS = (
    "How much does the {} of Camelot cost?",
    "What is the price of the {} of Camelot?",
    "Who sells the {} of Camelot?",
    "Where is the {} of Camelot kept?",
    "When was the {} of Camelot found?",
    "What does the {} of Camelot weigh?",
    "How old is the {} of Camelot?",
    "Which knight keeps the {} of Camelot?",
    "Does the {} of Camelot come with a warranty?",
    "Can the {} of Camelot be returned?",
)
TRUSTED = (
    "The {} of Camelot costs 12 guilders, its price since spring. The royal shop sells it and Sir"
    " Robin keeps it in the tower, where it was found when the moat was drained; it weighs two"
    " stone and is a hundred years old. It can be returned for a month and comes with a warranty."
)
STUFFING = "The {0} of Camelot! {0} {0} {0} Camelot {0} price cost sells kept found {0} {1}. " * 3
COPIES = 20
PARTS_OF_THE_FIRST = 12


def stuffed_text(thing, number):
    """Return a stuffed copy; the first of each thing is long, to fill pages by itself."""
    text = STUFFING.format(thing, f"offer{number}")
    if number:
        return text
    return "\n\n".join(f"# Offer {part}\n\n{text}" for part in range(PARTS_OF_THE_FIRST))


@pytest.fixture
def poisoned(seeded):
    seed_profiles()
    trusted = {f"{thing}.txt": TRUSTED.format(thing) for thing in THINGS}
    stuffed = {
        f"{thing}-spam-{number}.txt": stuffed_text(thing, number)
        for thing in THINGS
        for number in range(COPIES)
    }
    store("Chronicle", "company_website", trusted, trust=0.95)
    store("Spam", "unknown", stuffed, trust=0.1)
    refresh_term_statistics()


def store(name, type_slug, texts, *, trust):
    source = ensure_source(name=name, type_slug=type_slug)
    update_source(source=source, trust=trust)
    outcomes = store_documents(
        source=source,
        parsed=[ParsedDocument(external_id=key, text=text) for key, text in texts.items()],
        embedder=get_embedder(),
        tokenizer=get_tokenizer(),
        now=NOW,
    )
    assert len(list(outcomes)) == len(texts)


def test_search__a_long_stuffed_copy_has_many_passages(poisoned):
    counts = Document.objects.filter(external_id__endswith="spam-0.txt").values_list("chunk_count")
    assert all(count > 3 for (count,) in counts)


def test_search__stuffed_copies_do_not_push_out_the_trusted_document(poisoned):
    first = 0
    for thing in THINGS:
        for question in QUESTIONS:
            request = SearchRequest(question=question.format(thing))
            hits = search(request, reader_tags=EVERYONE, now=NOW).hits
            first += hits[0].evidence.external_id == f"{thing}.txt"
            documents = Counter(hit.evidence.document_id for hit in hits)
            assert max(documents.values()) <= 3
    assert first >= 48
