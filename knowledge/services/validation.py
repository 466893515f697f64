"""Turns what a model's fields and constraints refuse into one line of ours."""

from collections.abc import Iterable

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import models

from crmind.exceptions import InvalidInputError
from knowledge.exceptions import InvalidDocumentError
from knowledge.models.fields import ACCESS_TAG


def save_validated(row: models.Model) -> None:
    """Check every field and constraint, then save. Raises InvalidInputError naming the field."""
    try:
        row.full_clean()
    except ValidationError as error:
        raise _refusal(error) from error
    row.save()


def check_fields(row: models.Model) -> None:
    """Check each field for itself. Raises InvalidInputError naming the field."""
    try:
        row.clean_fields()
    except ValidationError as error:
        raise _refusal(error) from error


def _refusal(error: ValidationError) -> InvalidInputError:
    field, messages = next(iter(error.message_dict.items()))
    if field == NON_FIELD_ERRORS:
        return InvalidInputError(messages[0])
    return InvalidInputError(f"{field}: {messages[0]}", field=field)


def checked_access_tags(tags: Iterable[str], *, field: str = "access_tags") -> list[str]:
    """Return the tags, each once, in order. Raises InvalidDocumentError for none or a wrong one."""
    checked = sorted(set(tags))
    if not checked:
        message = f"{field}: name at least one tag; 'everyone' lets all readers see it."
        raise InvalidDocumentError(message, field=field)
    for tag in checked:
        try:
            ACCESS_TAG(tag)
        except ValidationError as error:
            message = f"{field}: {tag!r} is not a tag. {error.message}"
            raise InvalidDocumentError(message, field=field) from error
    return checked
