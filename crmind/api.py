"""The only place where errors become HTTP responses."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, set_rollback

from crmind.exceptions import (
    ConflictError,
    CRMindError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)

logger = logging.getLogger(__name__)

STATUS_BY_ERROR: tuple[tuple[type[CRMindError], int], ...] = (
    (InvalidInputError, status.HTTP_400_BAD_REQUEST),
    (ForbiddenError, status.HTTP_403_FORBIDDEN),
    (NotFoundError, status.HTTP_404_NOT_FOUND),
    (ConflictError, status.HTTP_409_CONFLICT),
    (UnavailableError, status.HTTP_503_SERVICE_UNAVAILABLE),
)


class UnknownAddress(APIView):
    """Every address of the API that means nothing: the same error shape, no redirect."""

    authentication_classes = ()
    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise NotFoundError for any method."""
        message = "There is nothing at this address. Addresses of the API end with a slash."
        raise NotFoundError(message)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page of an unforeseen error; the API's in the shape of every other."""
    if not request.path.startswith("/api/"):
        return defaults.server_error(request)
    fault = {"code": "error", "message": "The server failed; its log says why.", "field": ""}
    return JsonResponse(
        {"error": {**fault, "details": [fault]}}, status=status.HTTP_500_INTERNAL_SERVER_ERROR
    )


def handle_exception(error: Exception, _context: Mapping[str, Any]) -> Response | None:
    """Return the response for `error`, or None to let it end as a server error.

    Body: `{"error": {"code", "message", "field", "details"}}`; `details` lists every fault found,
    each with code, message and field.
    """
    response = _respond(error)
    if response is not None:
        set_rollback()
    return response


def _respond(error: Exception) -> Response | None:
    if isinstance(error, CRMindError):
        fault = {"code": error.code, "message": error.message, "field": error.field}
        return _response([fault], _status_of(error))
    if isinstance(error, OperationalError):
        logger.warning("database unavailable: %s", type(error).__name__)
        fault = {
            "code": "database_unavailable",
            "message": "The database did not answer in time. Try again.",
            "field": "",
        }
        return _response([fault], status.HTTP_503_SERVICE_UNAVAILABLE, {"Retry-After": "5"})
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if isinstance(error, exceptions.APIException):
        return _response(
            list(_faults(error.get_full_details())), error.status_code, _headers(error)
        )
    return None


def _status_of(error: CRMindError) -> int:
    return next(
        (code for kind, code in STATUS_BY_ERROR if isinstance(error, kind)),
        status.HTTP_500_INTERNAL_SERVER_ERROR,
    )


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    wait = getattr(error, "wait", None)
    if wait:
        headers["Retry-After"] = str(int(wait))
    challenge = getattr(error, "auth_header", None)
    if challenge:
        headers["WWW-Authenticate"] = challenge
    return headers


def _response(
    faults: list[dict[str, str]], code: int, headers: Mapping[str, str] | None = None
) -> Response:
    body = {"error": {**faults[0], "details": faults}}
    return Response(body, status=code, headers=headers)


def first_fault(error: exceptions.APIException) -> dict[str, str]:
    """Return the first fault of an error with its code, message and field."""
    return next(_faults(error.get_full_details()))


def _faults(details: Any, path: str = "") -> Iterator[dict[str, str]]:
    """Yield the leaves of DRF's nested details with the dotted path of their field."""
    if isinstance(details, Mapping) and set(details) == {"message", "code"}:
        yield {"code": details["code"], "message": str(details["message"]), "field": path}
    elif isinstance(details, Mapping):
        for key, value in details.items():
            name = path if key == "non_field_errors" else f"{path}.{key}".strip(".")
            yield from _faults(value, name)
    else:
        for value in details:
            yield from _faults(value, path)
