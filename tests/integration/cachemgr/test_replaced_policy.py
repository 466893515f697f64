"""A document that is added, believed more or less, or edited shows in the next answer."""

import pytest

from cachemgr.services import store_answer
from cachemgr.services.asking import AskRequest, ask
from cachemgr.types import HitKind
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import EVERYONE
from knowledge.services import create_source, store_document, update_source
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from tests.integration.cachemgr.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.acceptance]

TAGS = frozenset({EVERYONE})


def put(source, name, text):
    store_document(
        source=source,
        parsed=ParsedDocument(external_id=name, text=text),
        embedder=get_embedder(),
        tokenizer=get_tokenizer(),
        now=NOW,
    )


def asked():
    request = AskRequest(search=SearchRequest(question="refund period?"))
    return ask(request, reader_tags=TAGS, embedder=get_embedder(), now=NOW)


def answered(days):
    """Ask, expecting a miss whose best passage says so many days, and store that."""
    miss = asked()
    assert miss.lookup.kind is HitKind.MISS
    best = miss.result.hits[0].evidence
    assert f"{days} days" in best.text
    number = next(
        citation.number
        for citation in miss.context.citations
        if best.chunk_id in citation.chunk_ids
    )
    store_answer(key=miss.store_key, answer=f"{days} days [{number}].", reader_tags=TAGS, now=NOW)
    assert asked().lookup.answer.answer == f"{days} days [{number}]."


def test_ask__new_document_then_trust_then_edit(seeded):
    seed_profiles()
    a = create_source(name="a", type_slug="company_website", trust=0.5)
    b = create_source(name="b", type_slug="company_website", trust=0.9)
    put(a, "policy-a.txt", "Refunds within 14 days.")
    answered(14)
    put(b, "policy-b.txt", "Refunds within 30 days.")
    answered(30)
    update_source(source=a, trust=1.0)
    update_source(source=b, trust=0.1)
    answered(14)
    put(a, "policy-a.txt", "Refunds within 21 days.")
    answered(21)
