"""The root of every error that CRMind raises on purpose."""

from typing import ClassVar


class CRMindError(Exception):
    """Something CRMind cannot do as asked."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str = "", *, field: str = "") -> None:
        self.field = field
        super().__init__(message or (type(self).__doc__ or "").strip())

    @property
    def message(self) -> str:
        return str(self)


class InvalidInputError(CRMindError):
    """The input is not acceptable."""

    code = "invalid"


class ForbiddenError(CRMindError):
    """The reader may not do this."""

    code = "permission_denied"


class NotFoundError(CRMindError):
    """There is no such thing."""

    code = "not_found"


class ConflictError(CRMindError):
    """The present state does not allow this."""

    code = "conflict"


class UnavailableError(CRMindError):
    """A part CRMind depends on does not answer."""

    code = "unavailable"
