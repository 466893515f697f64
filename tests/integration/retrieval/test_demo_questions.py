"""The judged questions of the demo knowledge base, with the real model and the default profile."""

from datetime import UTC, datetime, time

import pytest

from knowledge.demo.catalogue import load_catalogue
from knowledge.demo.load import load_demo
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.models import EVERYONE
from knowledge.seed import seed_source_types
from knowledge.services.ingest import Tools
from retrieval.evaluation.metrics import measure_quality
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from retrieval.types import Verdict

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db]

CATALOGUE = load_catalogue()
AS_OF = datetime.combine(CATALOGUE.as_of, time(12), tzinfo=UTC)


def ask(question):
    request = SearchRequest(
        question=question.text,
        entity=question.entity,
        types=(question.type,) if question.type else (),
        since=question.since,
        until=question.until,
        as_of=AS_OF,
        top_k=100,
    )
    result = search(request, reader_tags=frozenset({*question.tags, EVERYONE}), now=AS_OF)
    names = (f"{hit.evidence.source_name}/{hit.evidence.external_id}" for hit in result.hits)
    return list(dict.fromkeys(names)), result.judgment.verdict


def place_of_the_answer(question, found):
    best = max((each.grade for each in question.judgements), default=0)
    places = [
        found.index(each.document)
        for each in question.judgements
        if each.grade == best and each.document in found
    ]
    return min(places, default=len(found))


def test_search__answers_the_questions_of_the_demo():
    seed_source_types()
    seed_profiles()
    tools = Tools(embedder=get_embedder(), tokenizer=get_tokenizer(), now=AS_OF)
    load_demo(catalogue=CATALOGUE, tools=tools, on_progress=lambda _: None)

    rankings, grades, faults, called_answerable = {}, {}, [], []
    for question in CATALOGUE.questions:
        found, verdict = ask(question)
        faults += [f"{question.id}: shows {each}" for each in question.forbidden if each in found]
        if not question.answerable:
            called_answerable += [question.id] * (verdict is Verdict.ANSWERABLE)
            continue
        place = place_of_the_answer(question, found)
        above = set(found[:place]) & set(question.outranked)
        faults += [f"{question.id}: {each} stands above the answer" for each in sorted(above)]
        faults += [f"{question.id}: the answer is at place {place + 1}"] * (place > 2)
        faults += [f"{question.id}: nothing to answer from"] * (verdict is Verdict.NONE)
        rankings[question.id] = found
        grades[question.id] = {each.document: each.grade for each in question.judgements}

    assert faults == []
    assert measure_quality(rankings, grades).ndcg_at_10 >= 0.92
    # One of the three has a document about nearly the same.
    assert len(called_answerable) <= 1
