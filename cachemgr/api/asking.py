"""Ask over the API: a cached answer, else evidence."""

from django.utils import timezone
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from cachemgr.api.serializers import AskInput, CachedReply, EvidenceReply, reply_body
from cachemgr.services.asking import ask
from knowledge.api.access import client_of
from knowledge.embedding.registry import get_query_embedder

REPLY = PolymorphicProxySerializer(
    component_name="Reply",
    serializers=[CachedReply, EvidenceReply],
    resource_type_field_name=None,
)


class Ask(APIView):
    """An answer that was given before, else the evidence to answer from."""

    @extend_schema(request=AskInput, responses=REPLY)
    def post(self, request: Request) -> Response:
        """Ask. After a miss, store the answer under the key of the reply."""
        form = AskInput(data=request.data)
        form.is_valid(raise_exception=True)
        reply = ask(
            form.ask_request(),
            reader_tags=client_of(request).readable_tags,
            embedder=get_query_embedder(),
            now=timezone.now(),
        )
        return Response(reply_body(reply))
