"""`ask/`: the day of a chat assistant over the API."""

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from cachemgr.models import CachedResponse, CacheEvent, StoreKey
from knowledge.models import ApiKey
from knowledge.services import create_source, update_source
from retrieval.seed import seed_profiles

pytestmark = pytest.mark.django_db

URL = "/api/v1/ask/"
QUESTION = "What is the refund period?"
OTHER_WORDS = "what is the refund period for us, please"


@pytest.fixture
def writer(db):
    """A client that may also push documents, for every reader there is."""
    _, key = ApiKey.objects.create_key(
        name="sync", access_tags=["pricing-north", "pricing-south"], can_write=True
    )
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Api-Key {key}")
    return client


@pytest.fixture
def source(seeded):
    seed_profiles()
    return create_source(name="Handbook", type_slug="company_website", trust=0.8)


@pytest.fixture
def push(writer, source):
    def put(external_id, text, **values):
        body = {"source": "Handbook", "external_id": external_id, "text": text, **values}
        reply = writer.post("/api/v1/documents/", body, format="json")
        assert reply.status_code in (200, 201), reply.json()
        return reply.json()

    return put


@pytest.fixture
def handbook(push):
    push("refunds.md", "The refund period is 14 days.", title="Refunds")
    push("parking.md", "Visitors park behind the building.")


def ask(client, question=QUESTION, **values):
    return client.post(URL, {"question": question, **values}, format="json")


def store(client, reply, answer="For 14 days [1]."):
    body = {"store_key": reply["store_key"], "answer": answer}
    stored = client.post("/api/v1/responses/", body, format="json")
    assert stored.status_code == 201, stored.json()
    return stored.json()


def error(reply):
    fault = reply.json()["error"]
    return reply.status_code, fault["code"], fault["field"]


def test_ask__miss_shows_what_context_shows(client, handbook):
    reply = ask(client).json()
    context = client.post("/api/v1/context/", {"question": QUESTION}, format="json").json()
    assert reply["cache"] == {
        "kind": "miss",
        "similarity": None,
        "age_seconds": None,
        "matched_question": None,
        "response_id": None,
        "reason": "no_match",
        "refused_by": [],
    }
    assert set(reply) == {*context, "cache", "store_key", "store_key_withheld"}
    for name in ("question", "profile", "judgment", "context"):
        assert reply[name] == context[name]
    assert reply["store_key"] == str(StoreKey.objects.get().key)
    assert reply["store_key_withheld"] is None


def test_ask__store_then_exact_hit(client, handbook):
    miss = ask(client).json()
    stored = store(client, miss)
    hit = ask(client, "  what is the REFUND period ").json()
    age = hit["cache"].pop("age_seconds")
    assert 0 <= age < 60
    assert hit == {
        "cache": {
            "kind": "exact",
            "similarity": 1.0,
            "matched_question": QUESTION,
            "response_id": stored["id"],
            "reason": None,
            "refused_by": [],
        },
        "answer": "For 14 days [1].",
        "citations": stored["citations"],
    }
    assert hit["citations"] == miss["context"]["citations"][:1]


def test_ask__other_words_until_the_document_changes(client, handbook, push, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.6}
    store(client, ask(client).json())
    hit = ask(client, OTHER_WORDS).json()
    assert (hit["cache"]["kind"], hit["answer"]) == ("semantic", "For 14 days [1].")
    push("refunds.md", "The refund period is 21 days.")
    for question in (OTHER_WORDS, QUESTION):
        miss = ask(client, question).json()
        assert miss["cache"]["kind"] == "miss"
        assert "21 days" in miss["context"]["text"]


def test_ask__after_the_trust_of_the_source_changed(client, handbook, source):
    store(client, ask(client).json())
    update_source(source=source, trust=0.3)
    assert ask(client).json()["cache"]["kind"] == "miss"


def test_ask__names_the_guard_that_refused(client, handbook, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.5}
    store(client, ask(client).json())
    cache = ask(client, "What is not the refund period?").json()["cache"]
    assert (cache["kind"], cache["reason"], cache["refused_by"]) == ("miss", "guard", ["negation"])
    assert 0.5 < cache["similarity"] < 1.0
    assert (cache["matched_question"], cache["response_id"]) == (None, None)


def test_ask__answers_of_one_tenant_stay_there(client_with, push):
    push("north.md", "Discount floor: 12", access_tags=["pricing-north"])
    push("south.md", "Discount floor: 19", access_tags=["pricing-south"])
    question = "What is our discount floor?"
    clients = {
        "north": client_with("north", "pricing-north"),
        "south": client_with("south", "pricing-south"),
        "guest": client_with("north"),
    }
    for name, floor in (("north", "12"), ("south", "19")):
        miss = ask(clients[name], question).json()
        assert miss["cache"]["kind"] == "miss"
        assert [floor in citation["text"] for citation in miss["context"]["citations"]] == [True]
        store(clients[name], miss, f"The floor is {floor} [1].")
    guest = ask(clients["guest"], question).json()
    assert (guest["cache"]["kind"], guest["context"]["citations"]) == ("miss", [])
    assert (guest["store_key"], guest["store_key_withheld"]) == (None, "no_evidence")
    again = ask(clients["south"], question, cache_threshold=0.1).json()
    assert (again["cache"]["kind"], again["answer"]) == ("exact", "The floor is 19 [1].")


def test_ask__right_revoked_while_the_answer_is_cached(client_with, push):
    push("floor.md", "Discount floor: 12", access_tags=["pricing-north"])
    question = "What is our discount floor?"
    insider = client_with("pricing-north")
    store(insider, ask(insider, question).json(), "The floor is 12 [1].")
    assert ask(insider, question).json()["cache"]["kind"] == "exact"
    ApiKey.objects.filter(name="chat").update(access_tags=["north"])
    revoked = ask(insider, question).json()
    assert revoked["cache"]["kind"] == "miss"
    assert (revoked["hits"], revoked["context"]["text"]) == ([], "")


def test_ask__feedback_wrong_then_ask_again(client, handbook):
    stored = store(client, ask(client).json())
    url = f"/api/v1/responses/{stored['id']}/feedback/"
    assert client.post(url, {"verdict": "wrong"}, format="json").status_code == 204
    assert ask(client).json()["cache"]["kind"] == "miss"


@pytest.mark.parametrize(
    ("cache", "reason", "is_offered"), [("refresh", "bypassed", True), (False, "bypassed", False)]
)
def test_ask__around_the_cache(client, handbook, cache, reason, is_offered):
    store(client, ask(client).json())
    reply = ask(client, cache=cache).json()
    assert (reply["cache"]["kind"], reply["cache"]["reason"]) == ("miss", reason)
    assert (reply["store_key"] is not None) is is_offered
    assert reply["context"]["citations"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"question": ""}, (400, "invalid_question", "question")),
        ({"question": "\u200b"}, (400, "invalid_question", "question")),
        ({"question": "x" * 4_097}, (400, "invalid_question", "question")),
        ({"question": ["a"]}, (400, "invalid", "question")),
        ({"cache": "yes"}, (400, "invalid", "cache")),
        ({"cache": 1}, (400, "invalid", "cache")),
        ({"cache": None}, (400, "null", "cache")),
        ({"cache_threshold": 1.5}, (400, "max_value", "cache_threshold")),
        ({"threshold": 0.1}, (400, "unknown_key", "threshold")),
        ({"profile": "nope"}, (400, "unknown_profile", "profile")),
        ({"access_tags": ["sales"]}, (403, "access_tag_not_held", "access_tags")),
        ({"conversation_id": "x" * 201}, (400, "max_length", "conversation_id")),
        ({"chat_model": 4}, (400, "invalid", "chat_model")),
    ],
)
def test_ask__invalid(client, handbook, values, expected):
    assert error(ask(client, **values)) == expected
    assert not StoreKey.objects.exists()
    assert not CachedResponse.objects.exists()
    assert not CacheEvent.objects.exists()


def test_ask__without_a_key(handbook):
    assert error(ask(APIClient())) == (401, "not_authenticated", "")


def test_schema__describes_both_replies():
    schema = SchemaGenerator().get_schema(request=None, public=True)
    paths = schema["paths"]
    assert {
        path: sorted(set(operations) - {"parameters"})
        for path, operations in paths.items()
        if "/ask/" in path or "/responses/" in path
    } == {
        "/api/v1/ask/": ["post"],
        "/api/v1/responses/": ["get", "post"],
        "/api/v1/responses/{response_id}/": ["delete", "get"],
        "/api/v1/responses/{response_id}/feedback/": ["post"],
    }
    components = schema["components"]["schemas"]
    assert components["Reply"]["oneOf"] == [
        {"$ref": "#/components/schemas/CachedReply"},
        {"$ref": "#/components/schemas/EvidenceReply"},
    ]
    assert "vector" not in str({name: components[name] for name in components if "ep" in name})
