"""Search over the API."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from knowledge.api.access import client_of
from retrieval.api.serializers import (
    ContextInput,
    ContextOutput,
    SearchInput,
    SearchOutput,
    WhyNotInput,
    WhyNotOutput,
    context_body,
    search_body,
)
from retrieval.pipeline import build_context, search
from retrieval.services import get_profile
from retrieval.why_not import why_not


class Search(APIView):
    """Ranked passages, each with the receipt of its score, and a verdict on them."""

    @extend_schema(request=SearchInput, responses=SearchOutput)
    def post(self, request: Request) -> Response:
        """Search what the client may read."""
        form = SearchInput(data=request.data)
        form.is_valid(raise_exception=True)
        result = search(
            form.search_request(),
            reader_tags=client_of(request).readable_tags,
            now=timezone.now(),
        )
        return Response(search_body(result))


class AssembleContext(APIView):
    """The same, with the evidence laid out for a language model, numbered for citing."""

    @extend_schema(request=ContextInput, responses=ContextOutput)
    def post(self, request: Request) -> Response:
        """Search what the client may read and assemble its context."""
        form = ContextInput(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.search_request()
        result = search(asked, reader_tags=client_of(request).readable_tags, now=timezone.now())
        profile = form.applied_to(get_profile(result.profile))
        return Response(context_body(result, build_context(result, profile=profile)))


class ExplainAbsence(APIView):
    """Why a document is not among the hits, or where it stands."""

    @extend_schema(request=WhyNotInput, responses=WhyNotOutput)
    def post(self, request: Request) -> Response:
        """Search what the client may read and look for one document in it."""
        form = WhyNotInput(data=request.data)
        form.is_valid(raise_exception=True)
        told = why_not(
            form.search_request(),
            form.wanted(),
            reader_tags=client_of(request).readable_tags,
            now=timezone.now(),
        )
        return Response(WhyNotOutput(told).data)
