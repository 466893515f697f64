"""Sources over the API."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from knowledge.api.access import check_tags_are_held, readable_sources
from knowledge.api.authentication import HasWriteKey
from knowledge.api.pagination import NewestFirst, check_parameters
from knowledge.api.serializers import SourceChange, SourceInput, SourceOutput
from knowledge.exceptions import ConfirmationMissingError
from knowledge.models import Connector, Source
from knowledge.services import create_source, delete_source, update_source
from knowledge.services.locations import checked_location


class SourceList(generics.ListAPIView[Source]):
    """The sources whose documents the client may read."""

    permission_classes = [HasWriteKey]
    serializer_class = SourceOutput
    pagination_class = NewestFirst
    queryset = Source.objects.none()

    def get_queryset(self) -> "QuerySet[Source, Any]":
        """Return the sources of the client."""
        check_parameters(self.request.query_params)
        return readable_sources(self.request).select_related("source_type")

    @extend_schema(request=SourceInput, responses={201: SourceOutput})
    def post(self, request: Request) -> Response:
        """Create a source to push documents to."""
        form = SourceInput(data=request.data)
        form.is_valid(raise_exception=True)
        values: dict[str, Any] = dict(form.validated_data)
        check_tags_are_held(request, values.get("access_tags", ()))
        source = create_source(
            name=values.pop("name"),
            type_slug=values.pop("type"),
            connector=Connector.PUSH,
            **{key: value for key, value in values.items() if value},
        )
        return Response(SourceOutput(source).data, status=status.HTTP_201_CREATED)


class SourceDetail(generics.RetrieveAPIView[Source]):
    """One source."""

    permission_classes = [HasWriteKey]
    serializer_class = SourceOutput
    queryset = Source.objects.none()

    def get_queryset(self) -> "QuerySet[Source, Any]":
        """Return the sources of the client."""
        return readable_sources(self.request).select_related("source_type")

    @extend_schema(request=SourceChange, responses={200: SourceOutput})
    def patch(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change a source."""
        source = self.get_object()
        check_tags_are_held(request, source.access_tags)
        form = SourceChange(data=request.data)
        form.is_valid(raise_exception=True)
        check_tags_are_held(request, form.validated_data.get("access_tags", ()))
        changes: dict[str, Any] = dict(form.validated_data)
        if "location" in changes:
            changes["location"] = checked_location(
                connector=source.connector, location=changes["location"]
            )
        source = update_source(source=source, **changes)
        return Response(SourceOutput(source).data)

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "confirm", str, required=True, description="The name of the source, once more."
            )
        ],
        responses={204: None},
    )
    def delete(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Delete a source with all its documents."""
        source = self.get_object()
        check_tags_are_held(request, source.access_tags)
        if request.query_params.get("confirm") != source.name:
            message = (
                f"This deletes every document of the source. Repeat its name to confirm:"
                f" ?confirm={source.name}"
            )
            raise ConfirmationMissingError(message, field="confirm")
        delete_source(source=source)
        return Response(status=status.HTTP_204_NO_CONTENT)
