"""Push, replace, read and delete documents."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from knowledge.api.access import check_tags_are_held, readable_documents, readable_sources
from knowledge.api.authentication import HasWriteKey
from knowledge.api.pagination import NewestFirst, check_parameters
from knowledge.api.serializers import DocumentInput, DocumentOutput, StoredDocument
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.exceptions import InvalidDocumentError, UnknownDocumentError, UnknownSourceError
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document, DocumentStatus, Source
from knowledge.services import Outcome, delete_document, find_source_type, store_document

IDENTITY = [
    OpenApiParameter("source", str, required=True, description="Name of the source."),
    OpenApiParameter("external_id", str, required=True, description="Identifier at the source."),
]


class DocumentList(generics.ListAPIView[Document]):
    """The documents the client may read."""

    permission_classes = [HasWriteKey]
    serializer_class = DocumentOutput
    pagination_class = NewestFirst
    queryset = Document.objects.none()

    @extend_schema(
        parameters=[
            OpenApiParameter("source", str, description="Name of the source."),
            OpenApiParameter("external_id", str, description="Identifier at the source."),
            OpenApiParameter("status", str, enum=DocumentStatus.values),
        ]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List documents, newest first."""
        return self.list(request, *args, **kwargs)

    @extend_schema(request=DocumentInput, responses={200: StoredDocument, 201: StoredDocument})
    def post(self, request: Request) -> Response:
        """Add a document, or replace the one its source has of this external id."""
        source, parsed = accept_document(request, request.data)
        outcome = store_document(
            source=source,
            parsed=parsed,
            embedder=get_embedder(),
            tokenizer=get_tokenizer(),
            now=timezone.now(),
        )
        body = StoredDocument(
            {
                "id": outcome.document_id,
                "outcome": outcome.outcome,
                "status": outcome.status,
                "reason": outcome.reason,
                "chunks": outcome.chunk_count,
                "warnings": outcome.warnings,
            }
        )
        is_new = outcome.outcome == Outcome.ADDED
        return Response(body.data, status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)

    @extend_schema(
        operation_id="documents_destroy_by_external_id",
        parameters=IDENTITY,
        responses={204: None},
    )
    def delete(self, request: Request) -> Response:
        """Delete the one document that source and external id name."""
        for name in ("source", "external_id"):
            if not request.query_params.get(name):
                message = f"Name the document to delete: {name} is missing from the address."
                raise InvalidDocumentError(message, field=name)
        document = self.get_queryset().first()
        if document is None:
            raise UnknownDocumentError(field="external_id")
        delete_document(document=document)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def get_queryset(self) -> "QuerySet[Document, Any]":
        """Return the readable documents that match the address."""
        documents = readable_documents(self.request).select_related(
            "source__source_type", "source_type"
        )
        given = self.request.query_params
        check_parameters(given, allowed={"source", "external_id", "status"})
        _check_status(given)
        if "source" in given:
            documents = documents.filter(source__name__iexact=given["source"])
        if "external_id" in given:
            documents = documents.filter(external_id=given["external_id"])
        if "status" in given:
            documents = documents.filter(status=given["status"])
        return documents.prefetch_related("entities")


@extend_schema_view(
    get=extend_schema(description="One document."),
    delete=extend_schema(description="Delete a document, its passages and the answers citing it."),
)
class DocumentDetail(generics.RetrieveAPIView[Document]):
    """One document the client may read."""

    permission_classes = [HasWriteKey]
    serializer_class = DocumentOutput
    queryset = Document.objects.none()

    def get_queryset(self) -> "QuerySet[Document, Any]":
        """Return the documents the client may read."""
        return readable_documents(self.request)

    def delete(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Delete the document."""
        delete_document(document=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)


def accept_document(request: Request, data: Any) -> tuple[Source, ParsedDocument]:
    """Return a pushed document and its source, if the client may store it.

    Raises ValidationError for a body that breaks a rule, else UnknownSourceError, AccessDeniedError
    or UnknownSourceTypeError.
    """
    form = DocumentInput(data=data)
    form.is_valid(raise_exception=True)
    values: dict[str, Any] = form.validated_data
    source = find_source(request, values["source"])
    check_tags_are_held(request, values.get("access_tags") or source.access_tags)
    if values["type"]:
        find_source_type(values["type"])
    _check_replaceable(request, source, values["external_id"])
    return source, _parsed(values)


def find_source(request: Request, name: str) -> Source:
    """Return the readable source of that name. Raises UnknownSourceError."""
    source: Source | None = readable_sources(request).filter(name__iexact=name).first()
    if source is None:
        message = f"There is no source {name!r} that this API key may use. Create it first."
        raise UnknownSourceError(message, field="source")
    return source


def _check_replaceable(request: Request, source: Source, external_id: str) -> None:
    """Refuse to replace a document the client may not read."""
    document = Document.objects.filter(source=source, external_id=external_id).first()
    if document is not None:
        check_tags_are_held(request, document.access_tags)


def _check_status(given: Any) -> None:
    if "status" in given and given["status"] not in DocumentStatus.values:
        message = f"A status is one of {', '.join(DocumentStatus.values)}."
        raise InvalidDocumentError(message, field="status")


def _parsed(values: dict[str, Any]) -> ParsedDocument:
    return ParsedDocument(
        external_id=values["external_id"],
        text=values["text"],
        title=values["title"],
        url=values["url"],
        source_type=values["type"],
        language=values["language"],
        published_at=values["published_at"],
        valid_from=values["valid_from"],
        valid_until=values["valid_until"],
        supersedes=values["supersedes"],
        entities=tuple(values["entities"]),
        access_tags=tuple(values.get("access_tags", ())),
        metadata=values["metadata"],
    )
