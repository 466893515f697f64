"""Errors of the response cache."""

from crmind.exceptions import ConflictError, InvalidInputError, NotFoundError


class UnknownStoreKeyError(NotFoundError):
    """There is no such store key, or it has expired. Ask the question again to get a new one."""

    code = "unknown_store_key"


class UsedStoreKeyError(ConflictError):
    """An answer was already stored under this key."""

    code = "used_store_key"


class AnswerRefusedError(InvalidInputError):
    """The answer is not fit to be served again."""

    code = "answer_refused"


class UnknownCitationError(InvalidInputError):
    """The answer cites evidence that was not offered with its store key."""

    code = "unknown_citation"


class StaleEvidenceError(ConflictError):
    """Cited evidence has changed since it was offered. Ask the question again."""

    code = "stale_evidence"


class UnknownResponseError(NotFoundError):
    """There is no such cached response."""

    code = "unknown_response"
