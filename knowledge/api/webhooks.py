"""Signed calls from outside."""

from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from knowledge.exceptions import TooMuchError
from knowledge.models import RunTrigger
from knowledge.services.webhooks import WebhookCall, receive_call
from knowledge.tasks import enqueue_refresh

MAX_BODY_BYTES = 256 * 1024


class WebhookReceipt(serializers.Serializer[Any]):
    """The run that the call started."""

    run = serializers.IntegerField(allow_null=True)
    repeated = serializers.BooleanField(help_text="An earlier delivery of this id started it.")


class SourceWebhook(APIView):
    """Has a source read again; the signature stands for the key."""

    authentication_classes = ()
    permission_classes = ()

    @extend_schema(
        auth=[],
        parameters=[
            OpenApiParameter("webhook-id", str, OpenApiParameter.HEADER, required=True),
            OpenApiParameter("webhook-timestamp", int, OpenApiParameter.HEADER, required=True),
            OpenApiParameter("webhook-signature", str, OpenApiParameter.HEADER, required=True),
        ],
        request={"application/json": OpenApiTypes.OBJECT},
        responses={202: WebhookReceipt},
    )
    def post(self, request: Request, source_id: int) -> Response:
        """Check the signature and have the source read in the background."""
        receipt = receive_call(
            source_id=source_id,
            call=WebhookCall(
                delivery_id=request.headers.get("webhook-id", ""),
                timestamp=request.headers.get("webhook-timestamp", ""),
                signatures=request.headers.get("webhook-signature", ""),
                body=_body(request),
            ),
            now=timezone.now(),
            refresh=lambda source: enqueue_refresh(source, trigger=RunTrigger.WEBHOOK),
        )
        body = WebhookReceipt({"run": receipt.run_id, "repeated": receipt.is_repeated})
        return Response(body.data, status=status.HTTP_202_ACCEPTED)


def _body(request: Request) -> bytes:
    """Return the body as it was sent: parsing it would lose what was signed."""
    body = request._request.read(MAX_BODY_BYTES + 1)  # noqa: SLF001 # the framework's request reads it once
    if len(body) > MAX_BODY_BYTES:
        message = f"At most {MAX_BODY_BYTES // 1024} KB are taken; what is in them is not used."
        raise TooMuchError(message)
    return bytes(body)
