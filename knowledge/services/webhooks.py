"""Signed calls that have a source read again, as standardwebhooks.com describes them.

The signature is HMAC-SHA256 over id, moment and body. The secret is derived from the secret key of
the installation, so that a copy of the database opens nothing.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from knowledge.conf import knowledge_settings
from knowledge.exceptions import WebhookRefusedError, WebhookReplayedError
from knowledge.models import IngestionRun, Source, Webhook, WebhookDelivery

PREFIX = "whsec_"
VERSION = "v1"
SALT = "knowledge.webhook"
KEPT_DAYS = 7
MAX_ID_LENGTH = 200

UNFIT = (
    "The signature does not fit. Check the secret, the id, the timestamp and the unchanged body."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookCall:
    """A call as it came in: its three headers and its body."""

    delivery_id: str
    timestamp: str
    signatures: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The run that a call started; `is_repeated` if an earlier one had."""

    run_id: int | None
    is_repeated: bool


@transaction.atomic
def renew_webhook(*, source: Source) -> str:
    """Give a source a secret, to be shown once; one it had before opens nothing any more."""
    webhook, _ = Webhook.objects.update_or_create(
        source=source, defaults={"nonce": secrets.token_hex(24)}
    )
    key = _key(webhook, settings.SECRET_KEY)
    return PREFIX + base64.b64encode(key).decode()


def remove_webhook(*, source: Source) -> None:
    """Let calls for a source do nothing any more."""
    Webhook.objects.filter(source=source).delete()


def receive_call(
    *,
    source_id: int,
    call: WebhookCall,
    now: datetime,
    refresh: Callable[[Source], IngestionRun],
) -> Receipt:
    """Check a call and have its source read again; a repeated delivery starts nothing.

    Raises WebhookRefusedError for a call that is not signed rightly and recently,
    WebhookReplayedError for an exact copy of an earlier one.
    """
    webhook = Webhook.objects.select_related("source").filter(pk=source_id).first()
    sent_at = _check(webhook, call, now)
    with transaction.atomic():
        source: Source = Source.objects.select_for_update().get(pk=source_id)
        known = WebhookDelivery.objects.filter(source=source, delivery_id=call.delivery_id).first()
        if known is not None and known.sent_at == sent_at:
            raise WebhookReplayedError
        if known is not None:
            return Receipt(run_id=known.run_id, is_repeated=True)
        run = refresh(source)
        WebhookDelivery.objects.create(
            source=source,
            delivery_id=call.delivery_id,
            sent_at=sent_at,
            received_at=now,
            run=run,
        )
        long_ago = now - timedelta(days=KEPT_DAYS)
        WebhookDelivery.objects.filter(source=source, received_at__lt=long_ago).delete()
    return Receipt(run_id=run.pk, is_repeated=False)


def _check(webhook: Webhook | None, call: WebhookCall, now: datetime) -> datetime:
    """Return when a call was sent. A source without webhook is not told from a wrong secret."""
    nobody = Webhook(source_id=0, nonce=secrets.token_hex(24))
    signed = f"{call.delivery_id}.{call.timestamp}.".encode("utf-8", "replace") + call.body
    given = list(_given(call.signatures))
    fits = [
        hmac.compare_digest(hmac.digest(key, signed, hashlib.sha256), signature)
        for key in _keys(webhook or nobody)
        for signature in given
    ]
    is_identified = 0 < len(call.delivery_id) <= MAX_ID_LENGTH and call.delivery_id.isprintable()
    if webhook is None or not any(fits) or not is_identified:
        raise WebhookRefusedError(UNFIT)
    return _moment(call.timestamp, now)


def _moment(timestamp: str, now: datetime) -> datetime:
    window = timedelta(seconds=knowledge_settings().webhook_window_seconds)
    try:
        sent_at = datetime.fromtimestamp(int(timestamp), UTC)
    except (ValueError, OverflowError, OSError) as error:
        message = "webhook-timestamp: give the seconds since 1970."
        raise WebhookRefusedError(message, field="webhook-timestamp") from error
    if abs(now - sent_at) > window:
        message = (
            f"webhook-timestamp: the call is more than {window.total_seconds():.0f} seconds off."
            " Sign it anew when it is sent, and check the clock."
        )
        raise WebhookRefusedError(message, field="webhook-timestamp")
    return sent_at


def _keys(webhook: Webhook) -> Iterator[bytes]:
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        yield _key(webhook, secret)


def _key(webhook: Webhook, secret: str | bytes) -> bytes:
    value = f"{webhook.source_id}:{webhook.nonce}"
    return bytes(salted_hmac(SALT, value, secret=secret, algorithm="sha256").digest())


def _given(signatures: str) -> Iterator[bytes]:
    """Yield the signatures of our version; a sender that changes its secret gives several."""
    for signature in signatures.split()[:10]:
        version, _, written = signature.partition(",")
        if version == VERSION:
            try:
                yield base64.b64decode(written, validate=True)
            except ValueError:
                continue
