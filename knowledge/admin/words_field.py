"""A form field of several words or names with commas between them."""

from typing import Any

from django import forms
from django.contrib.postgres.fields import ArrayField
from django.core.validators import ProhibitNullCharactersValidator
from django.utils.text import capfirst
from unfold.widgets import UnfoldAdminTextInputWidget


class WordsField(forms.Field):
    """Reads `one, two` as a list; each is checked by itself and told by itself."""

    widget = UnfoldAdminTextInputWidget

    def __init__(self, *, each: Any, **options: Any) -> None:
        self.each = each
        super().__init__(**options)

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:
        words = (word.strip() for word in str(value or "").split(","))
        return list(dict.fromkeys(word for word in words if word))

    def run_validators(self, value: Any) -> None:
        for word in value:
            for check in (ProhibitNullCharactersValidator(), *self.each.validators):
                self._check(check, word)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.to_python(data) != list(initial or [])

    def _check(self, check: Any, word: str) -> None:
        try:
            check(word)
        except forms.ValidationError as error:
            message = f"“{word}”: {' '.join(error.messages)}"
            raise forms.ValidationError(message, code=error.code) from error


def words_field(
    db_field: ArrayField, *, label: str | None = None, help_text: str | None = None
) -> WordsField:
    """Return the form field of an array of short texts."""
    return WordsField(
        each=db_field.base_field,
        required=not db_field.blank,
        label=label or capfirst(db_field.verbose_name),
        help_text=help_text or db_field.help_text,
        initial=db_field.get_default() if db_field.has_default() else None,
    )
