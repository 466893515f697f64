"""The contract of search/ and context/."""

import json

import pytest
from rest_framework.test import APIClient

from cachemgr.models import CacheEvent
from knowledge.models import Document
from knowledge.services import set_access_tags
from retrieval.models import SearchLog
from tests.factories.retrieval import SynonymFactory
from tests.integration.retrieval.conftest import NOW

pytestmark = pytest.mark.django_db

ALLOWED = (
    "access_tags, as_of, entity, profile, question, since, sources, top_k, types, understanding,"
    " until"
)


@pytest.fixture
def reader(castle, client_with):
    return client_with("everyone")


def ask(client, path="search", **body):
    # Escaped, so that half a character can be sent too.
    return client.post(f"/api/v1/{path}/", json.dumps(body), content_type="application/json")


def faults(response):
    return {fault["field"]: fault["code"] for fault in response.json()["error"]["details"]}


def test_search__the_whole_reply(castle, reader):
    document = Document.objects.get(external_id="swallow.txt")
    response = ask(reader, question="Who carries a coconut?", top_k=1, as_of=NOW.isoformat())
    assert response.status_code == 200
    body = response.json()
    timings = body.pop("timings_ms")
    assert all(time >= 0 for time in timings.values())
    (hit,) = body["hits"]
    receipt = hit["receipt"]
    assert body == {
        "question": "Who carries a coconut?",
        "as_of": "2031-07-20T12:00:00Z",
        "profile": "balanced",
        "judgment": {
            "verdict": "answerable",
            "reasons": body["judgment"]["reasons"],
            "best_similarity": receipt["vector_score"],
            "best_coverage": 1.0,
            "confidence": pytest.approx(1 - (1 - receipt["vector_score"]) * 0.1),
        },
        "hits": [
            {
                "rank": 1,
                "score": receipt["score"],
                "chunk_id": castle.chunk_id("swallow.txt"),
                "document_id": document.pk,
                "external_id": "swallow.txt",
                "title": "",
                "url": "",
                "source_name": "Camelot",
                "source_type": "blog_post",
                "published_at": None,
                "heading_path": [],
                "prefix": "",
                "text": "An unladen swallow carries a coconut by the husk.",
                "start": 0,
                "end": 49,
                "is_superseded": False,
                "coverage": 1.0,
                "receipt": {
                    "keyword_rank": 1,
                    "keyword_score": receipt["keyword_score"],
                    "vector_rank": 1,
                    "vector_score": receipt["vector_score"],
                    "relevance": 1.0,
                    "freshness": 0.5,
                    "age_days": None,
                    "half_life_days": 60.0,
                    "trust": 0.7,
                    "authority": 0.6,
                    "blend": "bounded",
                    "weights": {
                        "relevance": 0.4,
                        "freshness": 0.25,
                        "trust": 0.2,
                        "authority": 0.15,
                        "bound": 0.5,
                    },
                    "boosts": {},
                    "cap": "",
                    "successor_id": None,
                    "superseded_by": "",
                    "rerank_score": None,
                    # quality (0.25 x 0.5 + 0.2 x 0.7 + 0.15 x 0.6) / 0.6 = 0.59167
                    # 1 x (1 + 0.5 x (2 x 0.59167 - 1))
                    "score": pytest.approx(1.091667),
                },
                "duplicates": [],
            }
        ],
        "interpretation": {"terms": ["carri", "coconut"], "unknown_terms": []},
        "exact": {"keyword": True, "vector": True},
        "complete": True,
        "degraded": False,
        "warnings": [],
    }
    assert SearchLog.objects.get().origin == "api"


def test_search__by_the_profile_that_is_named(castle, reader):
    body = ask(reader, question="Who carries a coconut?", profile="legal").json()
    assert body["profile"] == "legal"
    assert body["hits"][0]["receipt"]["weights"]["authority"] == 0.35


def test_context__adds_the_evidence_laid_out(castle, reader):
    response = ask(reader, "context", question="Who carries a coconut?", max_passages=1)
    assert response.status_code == 200
    context = response.json()["context"]
    assert context["text"].endswith(
        '[1]\n<evidence source="Camelot" type="blog_post" date="undated" trust="0.70">\n'
        "An unladen swallow carries a coconut by the husk.\n</evidence>"
    )
    (citation,) = context["citations"]
    assert citation["number"] == 1
    assert citation["chunk_ids"] == [castle.chunk_id("swallow.txt")]
    assert response.json()["judgment"]["verdict"] == "answerable"


def test_context__within_the_budget_asked_for(reader):
    response = ask(reader, "context", question="the rabbit of Caerbannog", token_budget=60)
    context = response.json()["context"]
    assert 0 < context["token_count"] <= 60
    assert len(context["citations"]) == 1


def test_context__is_empty_without_evidence(reader):
    response = ask(reader, "context", question="vrolk tindabesh quoopal")
    assert response.json()["judgment"]["verdict"] == "none"
    assert response.json()["context"] == {
        "text": "",
        "token_count": 0,
        "tokenizer": "pieces-of-8-letters",
        "citations": [],
    }


@pytest.mark.parametrize("path", ["search", "context"])
def test_search__needs_a_key(castle, path):
    response = ask(APIClient(), path, question="grail")
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Api-Key"
    assert not SearchLog.objects.exists()


@pytest.mark.parametrize("path", ["search", "ask"])
@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("", "invalid_question"),
        ("   ", "invalid_question"),
        ("\u200b", "invalid_question"),
        ("\x00", "null_characters_not_allowed"),
        ("abc\x00def", "null_characters_not_allowed"),
        ("\ud800", "surrogate_characters_not_allowed"),
        ("word " * 200_000, "invalid_question"),
        (["grail"], "invalid"),
        (42, "invalid"),
        (True, "invalid"),
        (None, "null"),
    ],
)
def test_search__a_bad_question(reader, embedder, path, question, code):
    response = ask(reader, path, question=question)
    assert response.status_code == 400
    assert faults(response) == {"question": code}
    assert embedder.asked == []
    assert not SearchLog.objects.exists()
    assert not CacheEvent.objects.exists()


@pytest.mark.parametrize("path", ["search", "ask"])
def test_search__no_question(reader, path):
    assert faults(ask(reader, path)) == {"question": "required"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("year", {"after": 2030}),
        ("owner", {"team": "north"}),
        ("yaer", 2031),
        ("year", {"$gte": "abc"}),
        ("year", None),
        ("filters", []),
        ("is_active", False),
    ],
)
def test_search__an_unknown_key_names_what_is_allowed(reader, key, value):
    response = ask(reader, question="grail", **{key: value})
    assert response.status_code == 400
    assert response.json()["error"] == {
        "code": "unknown_key",
        "message": f"Unknown key. Allowed: {ALLOWED}.",
        "field": key,
        "details": [
            {"code": "unknown_key", "message": f"Unknown key. Allowed: {ALLOWED}.", "field": key}
        ],
    }


@pytest.mark.parametrize("body", [[], "grail", 7])
def test_search__a_body_that_is_no_object(reader, body):
    response = reader.post("/api/v1/search/", body, format="json")
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "invalid"


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("top_k", -1, "invalid_filter"),
        ("top_k", 0, "invalid_filter"),
        ("top_k", 101, "invalid_filter"),
        ("top_k", 1_000_000_000, "invalid_filter"),
        ("top_k", "x", "invalid"),
        ("top_k", 1.5, "invalid"),
        ("top_k", True, "invalid"),
        ("top_k", None, "null"),
        ("types", ["nope"], "unknown_source_type"),
        ("types", "blog_post", "not_a_list"),
        ("types", None, "null"),
        ("sources", ["nope"], "invalid_filter"),
        ("sources", {"name": "Camelot"}, "not_a_list"),
        ("entity", "Mordred", "unknown_entity"),
        ("entity", {"id": 1}, "invalid"),
        ("profile", "nope", "unknown_profile"),
        ("since", "yesterday", "invalid_filter"),
        ("since", 2031, "invalid"),
        ("since", None, "null"),
        ("until", {"$lte": "2031-01-01"}, "invalid"),
        ("as_of", "31.12.2031", "invalid_filter"),
        ("access_tags", "everyone", "not_a_list"),
        ("access_tags", None, "null"),
    ],
)
def test_search__a_bad_filter_is_named(reader, key, value, code):
    response = ask(reader, question="grail", **{key: value})
    assert response.status_code == 400
    assert faults(response) == {key: code}


def test_search__a_reversed_range_names_both(reader):
    response = ask(reader, question="grail", since="2031-04-01", until="2031-03-31")
    assert response.status_code == 400
    assert response.json()["error"]["message"] == (
        "since (2031-04-01) is later than until (2031-03-31); exchange the two."
    )


def test_search__a_tag_not_held_is_refused(reader):
    response = ask(reader, question="grail", access_tags=["knights"])
    assert response.status_code == 403
    assert faults(response) == {"access_tags": "access_tag_not_held"}


def test_search__the_verdict_does_not_depend_on_how_many_hits_are_wanted(reader):
    judgments = [
        ask(reader, question="grail castle", top_k=top_k).json()["judgment"] for top_k in (1, 3, 50)
    ]
    assert judgments[0] == judgments[1] == judgments[2]


def test_search__access_tags_narrow(castle, client_with):
    set_access_tags(document=Document.objects.get(external_id="grail.txt"), access_tags=["knights"])
    knight, stranger = client_with("everyone", "knights"), client_with("everyone")

    def found(client, **body):
        hits = ask(client, question="grail castle", **body).json()["hits"]
        return [hit["external_id"] for hit in hits]

    assert found(knight)[0] == "grail.txt"
    assert found(knight, access_tags=["knights"])[0] == "grail.txt"
    assert "grail.txt" not in found(knight, access_tags=[])
    assert "grail.txt" not in found(stranger)


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("token_budget", 10, "min_value"),
        ("max_passages", 0, "min_value"),
        ("order", "random", "invalid_choice"),
    ],
)
def test_context__a_bad_layout_is_named(reader, key, value, code):
    response = ask(reader, "context", question="grail", **{key: value})
    assert response.status_code == 400
    assert faults(response) == {key: code}


def test_search__no_vector_leaves(reader):
    body = ask(reader, question="coconut").json()
    numbers = [value for value in flatten(body) if isinstance(value, float)]
    assert len(numbers) < 200


def flatten(value):
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return [value]
    return [leaf for part in value for leaf in flatten(part)]


def test_search__each_step_of_understanding_can_be_left_out(castle, reader):
    SynonymFactory(terms=["cup", "grail"])

    def read(**body):
        response = ask(reader, question="the latest cup", **body)
        assert response.status_code == 200
        return set(response.json()["interpretation"]) - {"terms", "unknown_terms"}

    assert read() == read(understanding=True) == read(understanding={}) == {"recency", "synonyms"}
    assert read(understanding={"recency": True, "synonyms": False}) == {"recency"}
    assert read(understanding={"recency": False}) == {"synonyms"}
    assert read(understanding=False) == set()


@pytest.mark.parametrize(
    ("understanding", "told"),
    [
        ({"synonym": False}, "no step 'synonym' of understanding"),
        ({"synonyms": "no"}, "an object of steps"),
        ({"synonyms": None}, "an object of steps"),
        ("false", "an object of steps"),
        (["synonyms"], "an object of steps"),
        (0, "an object of steps"),
    ],
)
def test_search__what_is_no_step_is_told(castle, reader, understanding, told):
    response = ask(reader, question="grail", understanding=understanding)
    assert response.status_code == 400
    assert faults(response) == {
        "understanding": "invalid_filter" if "no step" in told else "invalid"
    }
    assert told in response.json()["error"]["message"]
