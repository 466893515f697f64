"""Push many documents at once, as JSON lines, with a result for each line."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import IO, Any, cast

from django.conf import settings
from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from crmind.api import first_fault
from crmind.exceptions import CRMindError, InvalidInputError
from knowledge.api.authentication import HasWriteKey
from knowledge.api.documents import accept_document
from knowledge.conf import knowledge_settings
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.exceptions import InvalidDocumentError, TooMuchError
from knowledge.services.bulk import Line, PushedDocument, PushResult, RefusedLine, store_pushed
from knowledge.services.gathering import Tools
from knowledge.services.terms import refresh_term_statistics

JSON_LINES = "application/x-ndjson"
KEPT_IN_MEMORY = 1024 * 1024
BLOCK = 64 * 1024


class JsonLinesParser(BaseParser):
    """Keeps the body on disk: it may be larger than what a request may take of memory."""

    media_type = JSON_LINES

    def parse(  # type: ignore[override] # its stubs know only parsers of forms
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> IO[bytes]:
        """Return the body as a file. Raises TooMuchError."""
        limit = knowledge_settings().bulk_max_bytes
        body = tempfile.SpooledTemporaryFile(max_size=KEPT_IN_MEMORY)  # noqa: SIM115 # read later
        size = 0
        while block := stream.read(BLOCK):
            size += len(block)
            if size > limit:
                body.close()
                message = f"At most {limit // 1024**2} MB are taken at once: send it in parts."
                raise TooMuchError(message)
            body.write(block)
        body.seek(0)
        return body


class JsonLinesRenderer(JSONRenderer):
    """Answers those who accept JSON lines only."""

    media_type = JSON_LINES
    format = "jsonl"


class PushResultOutput(serializers.Serializer[Any]):
    """What became of one line."""

    index = serializers.IntegerField(help_text="Number of the document, from 0.")
    external_id = serializers.CharField()
    id = serializers.IntegerField(allow_null=True)
    outcome = serializers.ChoiceField(choices=["added", "updated", "unchanged", "failed"])
    status = serializers.CharField(help_text="Status of the document, or `refused`.")
    code = serializers.CharField(help_text="Of the error; empty if there is none.")
    message = serializers.CharField()
    warnings = serializers.ListField(child=serializers.CharField())


class BulkDocuments(APIView):
    """Documents pushed together."""

    permission_classes = [HasWriteKey]
    parser_classes = [JsonLinesParser]
    renderer_classes = [JSONRenderer, JsonLinesRenderer]

    @extend_schema(
        operation_id="documents_bulk_create",
        description=(
            "One document a line, with the keys of a single one; one result a line, in order. A"
            " line that is wrong stops nothing."
        ),
        request={JSON_LINES: OpenApiTypes.STR},
        responses={(200, JSON_LINES): PushResultOutput},
        examples=[
            OpenApiExample(
                "Two documents",
                value='{"source": "notes", "external_id": "1", "text": "One"}\n'
                '{"source": "notes", "external_id": "2", "text": "Two"}\n',
                request_only=True,
                media_type=JSON_LINES,
            )
        ],
    )
    def post(self, request: Request) -> StreamingHttpResponse:
        """Store what the lines hold, as it is read."""
        tools = Tools(embedder=get_embedder(), tokenizer=get_tokenizer(), now=timezone.now())
        body = cast("IO[bytes]", request.data)
        return StreamingHttpResponse(_results(request, body, tools), content_type=JSON_LINES)


def _results(request: Request, body: IO[bytes], tools: Tools) -> Iterator[str]:
    with body:
        for result in store_pushed(_accepted(request, body), tools=tools):
            yield json.dumps(_record(result), ensure_ascii=False) + "\n"
    refresh_term_statistics()


def _record(result: PushResult) -> dict[str, Any]:
    values = asdict(result)
    values["id"] = values.pop("document_id")
    return values


def _accepted(request: Request, body: IO[bytes]) -> Iterator[Line]:
    most = knowledge_settings().bulk_max_documents
    for index, written in enumerate(_lines(body)):
        external_id = ""
        try:
            if index >= most:
                message = f"At most {most} documents are taken at once: send the rest again."
                raise TooMuchError(message)
            data = _read(written)
            external_id = _external_id(data)
            source, parsed = accept_document(request, data)
            yield PushedDocument(index=index, source=source, parsed=parsed)
        except ValidationError as error:
            yield RefusedLine(index=index, external_id=external_id, error=_as_ours(error))
        except CRMindError as error:
            yield RefusedLine(index=index, external_id=external_id, error=error)


def _lines(body: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines that hold anything; of one that is too long, enough to see that it is."""
    longest = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    while line := body.readline(longest + 1):
        if len(line) > longest:
            while line and not line.endswith(b"\n"):
                line = body.readline(longest)
            yield b""
        elif line.strip():
            yield line


def _read(written: bytes) -> Any:
    if not written:
        longest = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE) // 1024
        message = f"The line has more than {longest} KB."
        raise TooMuchError(message)
    try:
        data = json.loads(written.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        message = f"The line is no JSON in UTF-8 ({error})."
        raise InvalidDocumentError(message) from error
    if not isinstance(data, dict):
        message = "The line is no JSON object."
        raise InvalidDocumentError(message)
    return data


def _refuse_constant(name: str) -> Any:
    message = f"{name} is no JSON"
    raise ValueError(message)


def _external_id(data: Mapping[str, Any]) -> str:
    written = data.get("external_id", "")
    return written[:1000] if isinstance(written, str) else ""


def _as_ours(error: ValidationError) -> CRMindError:
    fault = first_fault(error)
    field = fault["field"]
    refusal = InvalidInputError(f"{field}: {fault['message']}" if field else fault["message"])
    refusal.code = fault["code"]  # type: ignore[misc] # the code of the one fault that was found
    return refusal
