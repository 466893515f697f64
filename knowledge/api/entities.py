"""Entities over the API."""

from typing import Any

from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from knowledge.api.authentication import HasWriteKey
from knowledge.api.pagination import NewestFirst, check_parameters
from knowledge.api.serializers import EntityInput, EntityOutput
from knowledge.models import Entity
from knowledge.services import delete_entity, ensure_entity, update_entity


class EntityList(generics.ListAPIView[Entity]):
    """Accounts, contacts, deals and products."""

    permission_classes = [HasWriteKey]
    serializer_class = EntityOutput
    pagination_class = NewestFirst
    queryset = Entity.objects.none()

    @extend_schema(
        parameters=[
            OpenApiParameter("name", str, description="Name or alias, whole."),
            OpenApiParameter("external_id", str, description="Identifier in the CRM."),
        ]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List entities, newest first."""
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> "QuerySet[Entity]":
        """Return the entities that match the address."""
        entities = Entity.objects.all()
        given = self.request.query_params
        check_parameters(given, allowed={"name", "external_id"})
        if "name" in given:
            name = given["name"]
            entities = entities.filter(Q(name__iexact=name) | Q(aliases__contains=[name]))
        if "external_id" in given:
            entities = entities.filter(external_id=given["external_id"])
        return entities

    @extend_schema(request=EntityInput, responses={200: EntityOutput, 201: EntityOutput})
    def post(self, request: Request) -> Response:
        """Add an entity, or change the one of this kind and external id."""
        form = EntityInput(data=request.data)
        form.is_valid(raise_exception=True)
        entity, is_new = ensure_entity(**_values(form))
        return Response(
            EntityOutput(entity).data,
            status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK,
        )


class EntityDetail(generics.RetrieveAPIView[Entity]):
    """One entity."""

    permission_classes = [HasWriteKey]
    serializer_class = EntityOutput
    queryset = Entity.objects.all()

    @extend_schema(request=EntityInput, responses={200: EntityOutput})
    def patch(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change an entity."""
        entity = self.get_object()
        form = EntityInput(data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        return Response(EntityOutput(update_entity(entity=entity, **_values(form))).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Delete an entity; its documents stay."""
        delete_entity(entity=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)


def _values(form: EntityInput) -> dict[str, Any]:
    values: dict[str, Any] = dict(form.validated_data)
    if values.get("parent") is not None:
        values["parent"] = generics.get_object_or_404(Entity, pk=values["parent"])
    return values
