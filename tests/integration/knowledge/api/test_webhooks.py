"""Signed calls that have a source read again."""

import base64
import hashlib
import hmac
import json
from datetime import timedelta

import pytest
from django.utils import timezone

from knowledge.models import IngestionRun, Webhook, WebhookDelivery
from knowledge.services.webhooks import remove_webhook, renew_webhook
from tests.factories.knowledge import SourceFactory


@pytest.fixture
def source(seeded, tmp_path):
    return SourceFactory(name="wiki", connector="folder", location=str(tmp_path))


@pytest.fixture
def secret(source):
    return renew_webhook(source=source)


def sign(secret, delivery_id, timestamp, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def call(client, source, secret, *, delivery_id="msg_1", ago=0, body=b"{}", **changes):
    timestamp = str(int((timezone.now() - timedelta(seconds=ago)).timestamp()))
    headers = {
        "webhook-id": delivery_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{sign(secret, delivery_id, timestamp, body)}",
        **changes.pop("headers", {}),
    }
    return client.post(
        f"/api/v1/webhooks/{changes.get('source_id', source.pk)}/",
        changes.get("sent", body),
        content_type="application/json",
        headers=headers,
    )


def test_webhook__starts_a_run(client, source, secret):
    response = call(client, source, secret, body=json.dumps({"page": "ü"}).encode())

    run = IngestionRun.objects.get()
    assert (response.status_code, response.json()) == (202, {"run": run.pk, "repeated": False})
    assert (run.source, run.trigger, run.status) == (source, "webhook", "waiting")


def test_webhook__one_delivery_counts_once(client, source, secret):
    first = call(client, source, secret).json()

    again = call(client, source, secret, ago=5)

    assert (again.status_code, again.json()) == (202, {"run": first["run"], "repeated": True})
    assert IngestionRun.objects.count() == 1


def test_webhook__an_exact_copy_is_refused(client, source, secret):
    call(client, source, secret, ago=3)

    response = call(client, source, secret, ago=3)

    assert response.status_code in {202, 409}
    sent_at = WebhookDelivery.objects.get().sent_at
    timestamp = str(int(sent_at.timestamp()))
    signature = f"v1,{sign(secret, 'msg_1', timestamp, b'{}')}"
    copy = call(
        client,
        source,
        secret,
        headers={"webhook-timestamp": timestamp, "webhook-signature": signature},
    )
    assert (copy.status_code, copy.json()["error"]["code"]) == (409, "webhook_replayed")
    assert IngestionRun.objects.count() == 1


def test_webhook__another_delivery_joins_the_run_that_waits(client, source, secret):
    first = call(client, source, secret).json()

    second = call(client, source, secret, delivery_id="msg_2").json()

    assert second == {"run": first["run"], "repeated": False}
    assert WebhookDelivery.objects.count() == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"sent": b'{"other": 1}'},
        {"headers": {"webhook-id": "msg_2"}},
        {"headers": {"webhook-signature": ""}},
        {"headers": {"webhook-signature": "v1,"}},
        {"headers": {"webhook-signature": "v1,not base64"}},
        {"headers": {"webhook-signature": "v2," + "A" * 44}},
        {"headers": {"webhook-timestamp": "now"}},
        {"headers": {"webhook-timestamp": ""}},
        {"delivery_id": ""},
        {"delivery_id": "x" * 201},
        {"ago": 301},
        {"ago": -400},
        {"source_id": 987_654},
    ],
)
def test_webhook__refused(client, source, secret, changes):
    response = call(client, source, secret, **changes)

    assert (response.status_code, response.json()["error"]["code"]) == (403, "webhook_refused")
    assert not IngestionRun.objects.exists()


def test_webhook__secrets_end(client, source, secret):
    new = renew_webhook(source=source)

    assert new != secret
    assert call(client, source, secret).status_code == 403
    both = {"webhook-signature": "v1,AAAA"}
    assert call(client, source, new, headers=both).status_code == 403
    assert call(client, source, new).status_code == 202
    remove_webhook(source=source)
    assert call(client, source, new, delivery_id="msg_9").status_code == 403


def test_webhook__the_secret_is_not_in_the_database(source, secret):
    nonce = Webhook.objects.get().nonce

    assert nonce not in secret
    assert base64.b64decode(secret.removeprefix("whsec_")) != bytes.fromhex(nonce)


def test_webhook__of_one_source_opens_no_other(client, source, secret):
    other = SourceFactory(name="other", location="/x")
    renew_webhook(source=other)

    assert call(client, other, secret).status_code == 403


def test_webhook__another_secret_key(client, source, secret, settings):
    old = settings.SECRET_KEY
    settings.SECRET_KEY = "another"
    assert call(client, source, secret).status_code == 403

    settings.SECRET_KEY_FALLBACKS = [old]
    assert call(client, source, secret).status_code == 202


def test_webhook__large_bodies_and_sources_without_a_place(client, source, secret):
    assert call(client, source, secret, body=b"x" * 300_000).json()["error"]["code"] == "too_much"
    source.connector = "push"
    source.save()

    response = call(client, source, secret)

    assert (response.status_code, response.json()["error"]["code"]) == (400, "listing_failed")
    assert not WebhookDelivery.objects.exists()


def test_webhook__old_deliveries_are_forgotten(client, source, secret):
    WebhookDelivery.objects.create(
        source=source,
        delivery_id="old",
        sent_at=timezone.now() - timedelta(days=8),
        received_at=timezone.now() - timedelta(days=8),
    )

    call(client, source, secret)

    assert [each.delivery_id for each in WebhookDelivery.objects.all()] == ["msg_1"]
