"""Two people edit one row at once: what one of them did not touch stays as the other left it."""

from typing import Any

from django.utils import timezone
from django.utils.formats import date_format


def guarded(form: Any) -> Any:
    """Return a form class that knows what it showed, and tells of values changed since.

    A field counts as changed if it differs from what was shown, not from what is stored by now.
    Fields that were not changed keep what is stored. One that both changed is shown again with the
    other's value in words; saved once more, the value of the second stands.
    """

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        super(made, self).__init__(*args, **kwargs)
        for name, field in self.fields.items():
            shown = self.add_initial_prefix(name)
            field.show_hidden_initial = not self.is_bound or shown in self.data

    def clean(self: Any) -> Any:
        cleaned = super(made, self).clean()
        for name, field in self.fields.items():
            if not field.show_hidden_initial or name not in self.cleaned_data:
                continue
            if name not in self.changed_data:
                self.cleaned_data[name] = field.clean(_stored(self, name))
            elif _is_changed_since(self, name):
                self.add_error(name, _conflict(self, name))
                _show_stored(self, name)
        return cleaned

    made = type(form)(form.__name__, (form,), {"__init__": init, "clean": clean})
    return made


def _stored(form: Any, name: str) -> Any:
    """Return the value that is stored now, as the form's field takes it."""
    return form.fields[name].prepare_value(form.get_initial_for_field(form.fields[name], name))


def _shown(form: Any, name: str) -> Any:
    field = form.fields[name]
    shown = form.add_initial_prefix(name)
    return field.to_python(field.hidden_widget().value_from_datadict(form.data, form.files, shown))


def _is_changed_since(form: Any, name: str) -> bool:
    """Return whether the stored value is neither what was shown nor what is entered."""
    field = form.fields[name]
    stored = form.get_initial_for_field(field, name)
    return bool(
        field.has_changed(_comparable(_shown(form, name)), _stored(form, name))
        and field.has_changed(stored, form[name].data)
    )


def _comparable(value: Any) -> Any:
    return getattr(value, "pk", value)


def _show_stored(form: Any, name: str) -> None:
    """Have the next page show the stored value as what was there."""
    field = form.fields[name]
    data = form.data.copy()
    value = field.hidden_widget().format_value(_stored(form, name))
    shown = form.add_initial_prefix(name)
    if isinstance(value, list):
        data.setlist(shown, value)
    else:
        data[shown] = "" if value is None else value
    form.data = data


def _conflict(form: Any, name: str) -> str:
    stored = _stored(form, name)
    words = ", ".join(map(str, stored)) if isinstance(stored, list) else stored
    return (
        f"Changed to “{'empty' if words in (None, '') else words}” meanwhile{_author(form, name)}."
        " Nothing is saved yet: save again to put yours in its place."
    )


def _author(form: Any, name: str) -> str:
    """Return who changed a field last and when, where the history tells."""
    history = getattr(type(form.instance), "history", None)
    if history is None:
        return ""
    records = history.filter(**{form.instance._meta.pk.attname: form.instance.pk})[:20]  # noqa: SLF001 # documented
    for record in records:
        if any(change["field"] == name for change in record.history_changes):
            moment = date_format(timezone.localtime(record.history_date), "H:i")
            return f" by {record.history_by or 'a program'} at {moment}"
    return ""
