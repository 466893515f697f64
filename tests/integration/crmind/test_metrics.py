"""`/metrics`: closed unless a token is set, then figures that all processes share."""

import pytest
from django.utils import timezone

from cachemgr.services.counting import add_up_events, count_outcome
from tests.factories.knowledge import DocumentFactory

pytestmark = pytest.mark.django_db

TOKEN = {"HTTP_AUTHORIZATION": "Bearer s3cret"}


def test_metrics__without_a_token_in_the_settings(client):
    assert client.get("/metrics", **TOKEN).status_code == 404
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer ").status_code == 404


@pytest.mark.parametrize("header", [{}, {"HTTP_AUTHORIZATION": "Bearer wrong"}])
def test_metrics__with_another_token(client, settings, header):
    settings.METRICS_TOKEN = "s3cret"
    reply = client.get("/metrics", **header)
    assert (reply.status_code, reply.content) == (401, b"Unknown token.\n")


def test_metrics__shows_what_was_counted(client, settings):
    settings.METRICS_TOKEN = "s3cret"
    settings.CRMIND_CACHE = {"PRICE_PER_1000_TOKENS": 0.5}
    now = timezone.now()
    count_outcome("exact", now=now, tokens_saved=1_234_567)
    add_up_events()
    count_outcome("exact", now=now, tokens_saved=2)
    count_outcome("guard_negation", now=now)
    count_outcome("refused_answer_refused", now=now)
    count_outcome("said_wrong", now=now)
    DocumentFactory()
    reply = client.get("/metrics", **TOKEN)
    assert reply.status_code == 200
    assert reply["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    figures = [line for line in reply.content.decode().splitlines() if not line.startswith("#")]
    assert figures == [
        'crmind_cache_lookups_total{outcome="exact"} 2.0',
        'crmind_cache_lookups_total{outcome="guard_negation"} 1.0',
        'crmind_cache_answers_refused_total{code="answer_refused"} 1.0',
        'crmind_cache_verdicts_total{verdict="wrong"} 1.0',
        "crmind_cache_tokens_saved_total 1.234569e+06",
        "crmind_cache_money_saved_total 617.2845",
        'crmind_documents{status="ready"} 1.0',
        "crmind_queue_waiting 0.0",
        "crmind_queue_failed 0.0",
    ]
