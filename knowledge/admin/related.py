"""Choices among many rows, searched as one types, and keys out of addresses and forms."""

from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.admin.widgets import AutocompleteSelect, AutocompleteSelectMultiple
from django.core.exceptions import FieldDoesNotExist, PermissionDenied
from django.http import HttpRequest, HttpResponse
from unfold.contrib.filters.admin import AutocompleteSelectFilter
from unfold.contrib.filters.forms import AutocompleteDropdownForm

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


def find_choices(request: HttpRequest) -> HttpResponse:
    """Return what one may choose as they type; refuse relations that no form has a field for."""
    asked = request.GET
    try:
        model = apps.get_model(asked.get("app_label", ""), asked.get("model_name", ""))
        field = model._meta.get_field(asked.get("field_name", ""))  # noqa: SLF001 # documented
    except (LookupError, ValueError, FieldDoesNotExist) as error:
        raise PermissionDenied from error
    if field.auto_created:
        raise PermissionDenied
    answer: HttpResponse = admin.site.autocomplete_view(request)
    return answer


class ChoosesRelated:
    """Forms of the admin whose choices among many rows bear any key."""

    admin_site: Any
    get_autocomplete_fields: Any

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        parent: Any = super()
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", RelatedSelect(db_field, self.admin_site))
        return parent.formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        parent: Any = super()
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", RelatedSelectMultiple(db_field, self.admin_site))
        return parent.formfield_for_manytomany(db_field, request, **kwargs)


class RelatedFilterForm(AutocompleteDropdownForm):
    """The choice of a filter: names what is chosen only to those who may see it."""

    widget = RelatedSelect

    def __init__(self, *, request: HttpRequest, name: str, model_admin: Any, **kwargs: Any) -> None:
        super().__init__(request=request, name=name, model_admin=model_admin, **kwargs)
        choice: Any = self.fields[name]
        seen = model_admin.admin_site.get_model_admin(choice.queryset.model)
        choice.queryset = seen.get_queryset(request)


class RelatedFilter(AutocompleteSelectFilter):
    """Limits a list to what belongs to one of many rows."""

    form_class = RelatedFilterForm


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
