"""Choices among many rows, searched as one types."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect, AutocompleteSelectMultiple

from knowledge.models import Document

LARGEST_KEY = 2**63 - 1


class _Bearing:
    """Bears what people type into addresses: keys that cannot be are left out, not asked for."""

    field: Any

    def optgroups(self, name: str, value: Any, attr: Any = None) -> Any:
        parent: Any = super()
        return parent.optgroups(name, [key for key in value if self._may_exist(key)], attr)

    def _may_exist(self, key: Any) -> bool:
        try:
            value = self.field.remote_field.model._meta.pk.to_python(key)  # noqa: SLF001 # documented
        except forms.ValidationError:
            return False
        return not isinstance(value, int) or abs(value) <= LARGEST_KEY


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
