"""Choices among many rows, searched as one types, and keys out of addresses and forms."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.admin.widgets import AutocompleteSelect, AutocompleteSelectMultiple

from knowledge.models import Document

LARGEST_KEY = 2**63 - 1


def may_be_key(model: Any, key: Any) -> bool:
    """Return whether what somebody typed can be the key of a row of `model`."""
    if "\0" in str(key):
        return False
    try:
        value = model._meta.pk.to_python(key)  # noqa: SLF001 # documented
    except forms.ValidationError:
        return False
    return not isinstance(value, int) or abs(value) <= LARGEST_KEY


def may_exist(model: Any, key: str) -> bool:
    """Return whether a key out of the path of an address can be one of a row of `model`."""
    return may_be_key(model, unquote(key))


class _Bearing:
    """Bears what people type into addresses: keys that cannot be are left out, not asked for."""

    field: Any

    def optgroups(self, name: str, value: Any, attr: Any = None) -> Any:
        parent: Any = super()
        model = self.field.remote_field.model
        return parent.optgroups(name, [key for key in value if may_be_key(model, key)], attr)


class RelatedSelect(_Bearing, AutocompleteSelect):
    """One of many rows."""


class RelatedSelectMultiple(_Bearing, AutocompleteSelectMultiple):
    """Several of many rows."""


def choose_related(field: Any, relation: str) -> None:
    """Let a form field be chosen as `relation` of a document is, with its search and its limits."""
    several = isinstance(field, forms.ModelMultipleChoiceField)
    widget = RelatedSelectMultiple if several else RelatedSelect
    field.widget = widget(
        Document._meta.get_field(relation),  # noqa: SLF001 # Django's public interface to fields
        admin.site,
        attrs={"class": "unfold-admin-autocomplete"},
    )
    field.widget.choices = field.choices
