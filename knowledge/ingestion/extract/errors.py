"""Why a file gives no text; the message is the sentence the curator reads."""

from crmind.exceptions import InvalidInputError


class RefusedFileError(InvalidInputError):
    """The file cannot be read."""

    code = "file_refused"


class NoTextError(InvalidInputError):
    """The file is sound but holds no text."""

    code = "file_without_text"
