"""Store, read, list and forget cached responses, and say whether they are right."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from cachemgr.api.serializers import (
    FeedbackInput,
    ResponseInput,
    ResponseOutput,
    response_body,
)
from cachemgr.models import CachedResponse
from cachemgr.services import build_answer, forget, judge_response, read_answer, store_answer
from knowledge.api.access import client_of
from knowledge.api.pagination import NewestFirst, check_parameters


class ResponseList(generics.GenericAPIView[CachedResponse]):
    """The cached responses made for readers like the client."""

    pagination_class = NewestFirst
    queryset = CachedResponse.objects.none()

    @extend_schema(operation_id="responses_list", responses=ResponseOutput(many=True))
    def get(self, request: Request) -> Response:
        """List the responses that are served, newest first."""
        check_parameters(request.query_params)
        page = self.paginate_queryset(self.get_queryset())
        answers = [build_answer(row) for row in page or []]
        return self.get_paginated_response([response_body(answer) for answer in answers])

    @extend_schema(request=ResponseInput, responses={201: ResponseOutput})
    def post(self, request: Request) -> Response:
        """Store the answer to a question that was asked."""
        form = ResponseInput(data=request.data)
        form.is_valid(raise_exception=True)
        values: dict[str, Any] = form.validated_data
        response = store_answer(
            key=values["store_key"],
            answer=values["answer"],
            citations=values["citations"],
            model_name=values["model_name"],
            reader_tags=client_of(request).readable_tags,
            now=timezone.now(),
        )
        row = CachedResponse.objects.filter(pk=response.pk).with_passages().get()
        return Response(response_body(build_answer(row)), status=status.HTTP_201_CREATED)

    def get_queryset(self) -> "QuerySet[CachedResponse, Any]":
        """Return what the client may read of what is served."""
        tags = client_of(self.request).readable_tags
        found: QuerySet[CachedResponse, Any] = (
            CachedResponse.objects.servable(now=timezone.now())
            .comparable()
            .within(tags)
            .standing(tags)
            .with_passages()
            .with_recent_hits()
            .defer("vector")
        )
        return found


class ResponseDetail(APIView):
    """One cached response."""

    @extend_schema(responses=ResponseOutput)
    def get(self, request: Request, response_id: UUID) -> Response:
        """Read a response that is served."""
        answer = read_answer(
            response_id=response_id,
            reader_tags=client_of(request).readable_tags,
            now=timezone.now(),
        )
        return Response(response_body(answer))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, response_id: UUID) -> Response:
        """Forget a response: it is never served again."""
        forget(
            response_id=response_id,
            reader_tags=client_of(request).readable_tags,
            now=timezone.now(),
        )
        return Response(status=status.HTTP_204_NO_CONTENT)


class ResponseFeedback(APIView):
    """What readers say of a cached response."""

    @extend_schema(request=FeedbackInput, responses={204: None})
    def post(self, request: Request, response_id: UUID) -> Response:
        """Say whether a response is right; a wrong one is forgotten at once."""
        form = FeedbackInput(data=request.data)
        form.is_valid(raise_exception=True)
        judge_response(
            response_id=response_id,
            verdict=form.validated_data["verdict"],
            reader_tags=client_of(request).readable_tags,
            now=timezone.now(),
        )
        return Response(status=status.HTTP_204_NO_CONTENT)
