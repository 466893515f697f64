"""A document that comes while a question is being answered: no answer that missed it is served."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from time import sleep

import pytest
from django.db import connections

from cachemgr.exceptions import StaleEvidenceError
from cachemgr.models import StoreKey
from cachemgr.services import store_answer
from cachemgr.services.asking import AskRequest, ask
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.models import EVERYONE, Chunk
from knowledge.seed import seed_source_types
from knowledge.services import create_source
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from tests.integration.cachemgr.conftest import NOW, QUESTION, put

ROUNDS = 24
TAGS = frozenset({EVERYONE})


@pytest.fixture
def committed(transactional_db):
    """Give source types and profiles whose writes are committed."""
    seed_source_types()
    seed_profiles()


def asked(source):
    request = AskRequest(search=SearchRequest(question=QUESTION, sources=(source.name,)))
    return ask(request, reader_tags=TAGS, embedder=HashingEmbedder(), now=NOW)


def answer(source):
    reply = asked(source)
    with suppress(StaleEvidenceError):
        store_answer(key=reply.store_key, answer="So [1].", reader_tags=TAGS, now=NOW)


def test_ask__while_a_better_document_comes(committed):
    served = []
    for number in range(ROUNDS):
        source = create_source(name=f"Handbook {number}", type_slug="company_website")
        put(source, "old.md", "The refund period is 14 days.")
        start = Barrier(2)

        def run(job, delay, start=start):
            try:
                start.wait(timeout=30)
                sleep(delay)
                job()
            finally:
                connections.close_all()

        # Later and later against the question, so that the two meet at every stage.
        with ThreadPoolExecutor(2) as pool:
            jobs = [
                pool.submit(run, lambda source=source: answer(source), 0.05),
                pool.submit(
                    run,
                    lambda source=source: put(source, "new.md", "The refund period is 30 days."),
                    number * 0.005,
                ),
            ]
            for job in jobs:
                job.result(timeout=60)
        if asked(source).lookup.answer is not None:
            served.append(source)
    for source in served:
        newer = Chunk.objects.get(source=source, document__external_id="new.md").pk
        offered = StoreKey.objects.filter(scope__source_ids=[source.pk], used_at__isnull=False)
        assert newer in {passage["chunk_id"] for passage in offered.get().evidence}
