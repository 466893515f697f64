import pytest
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions

from crmind.api import handle_exception
from crmind.exceptions import ConflictError, CRMindError, InvalidInputError, NotFoundError


class TooSaltyError(InvalidInputError):
    """The soup is too salty."""

    code = "too_salty"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (TooSaltyError(field="soup"), 400, "too_salty"),
        (NotFoundError("No soup."), 404, "not_found"),
        (ConflictError("Eaten."), 409, "conflict"),
        (CRMindError("Odd."), 500, "error"),
        (OperationalError("canceling statement due to statement timeout"), 503, None),
        (Http404(), 404, "not_found"),
        (exceptions.PermissionDenied(), 403, "permission_denied"),
    ],
)
def test_handle_exception__status_and_code(error, status, code):
    response = handle_exception(error, {})
    assert response.status_code == status
    assert response.data["error"]["code"] == (code or "database_unavailable")


def test_handle_exception__our_error_in_whole():
    response = handle_exception(TooSaltyError(field="soup"), {})
    fault = {"code": "too_salty", "message": "The soup is too salty.", "field": "soup"}
    assert response.data == {"error": {**fault, "details": [fault]}}


def test_handle_exception__nested_validation_lists_every_fault():
    error = exceptions.ValidationError(
        {"filters": {"since": ["Not a date."]}, "non_field_errors": ["Nothing asked."]}
    )
    details = handle_exception(error, {}).data["error"]["details"]
    assert details == [
        {"code": "invalid", "message": "Not a date.", "field": "filters.since"},
        {"code": "invalid", "message": "Nothing asked.", "field": ""},
    ]


def test_handle_exception__database_text_is_not_told():
    body = handle_exception(OperationalError("password=hunter2 refused"), {}).data
    assert "hunter2" not in str(body)


def test_handle_exception__throttled_says_when_to_come_back():
    response = handle_exception(exceptions.Throttled(wait=7.2), {})
    assert response.status_code == 429
    assert response["Retry-After"] == "8"  # whole seconds, rounded up


def test_handle_exception__unforeseen_errors_stay_server_errors():
    assert handle_exception(ZeroDivisionError(), {}) is None
