"""Calls from outside that have a source read again."""

from typing import Any, ClassVar

from django.db import models

from knowledge.models.run import IngestionRun
from knowledge.models.source import Source


class Webhook(models.Model):
    """The right to have a source read again.

    The secret is not here: it is derived from the nonce and the secret key of the installation.
    """

    source = models.OneToOneField(
        Source, on_delete=models.CASCADE, primary_key=True, related_name="webhook"
    )
    nonce = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager[Any]] = models.Manager()

    def __str__(self) -> str:
        return f"webhook of source {self.source_id}"


class WebhookDelivery(models.Model):
    """A call that was accepted, kept so that it counts once."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    delivery_id = models.CharField(max_length=200)
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField()
    run = models.ForeignKey(IngestionRun, on_delete=models.SET_NULL, null=True, related_name="+")

    objects: ClassVar[models.Manager[Any]] = models.Manager()

    class Meta:
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["source", "delivery_id"], name="webhookdelivery_counts_once"
            )
        ]

    def __str__(self) -> str:
        return self.delivery_id
