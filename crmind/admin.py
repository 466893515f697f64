"""Users, roles and the queue's own tables in the admin."""

from collections.abc import Iterator
from typing import Any

import django_q.admin  # noqa: F401 # its pages must be there to be restricted
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from knowledge.admin.curation import CurationAdmin

ONLY_SUPERUSERS_SET = ("is_superuser", "user_permissions")


class ToldAdmin(CurationAdmin):
    """Pages of rows without a history of their own: the log of the admin tells old and new."""

    def construct_change_message(
        self,
        request: HttpRequest,
        form: Any,
        formsets: Any,
        add: bool = False,  # noqa: FBT001,FBT002 # Django's
    ) -> Any:
        told = "; ".join(_differences(form)) if isinstance(form, ModelForm) and not add else ""
        return told or super().construct_change_message(request, form, formsets, add)


def _differences(form: ModelForm) -> Iterator[str]:
    """Yield each value a person changed, as it was and as it is."""
    for name in form.changed_data:
        old, new = _in_words(form.initial.get(name)), _in_words(form.cleaned_data.get(name))
        yield f"{form.fields[name].label}: {old} → {new}"


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple | QuerySet):
        value = ", ".join(sorted(map(str, value)))
    return "empty" if value in (None, "") else str(value)


class CurrentUserAdmin(UserAdmin, ToldAdmin):  # type: ignore[misc] # the theme has no types
    """Users; only a superuser makes superusers, or changes one."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "is_active", "is_staff", "is_superuser", "last_login")
    list_filter = ("is_active", "groups")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        fields = tuple(super().get_readonly_fields(request, obj))
        return fields if request.user.is_superuser else (*fields, *ONLY_SUPERUSERS_SET)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return bool(super().has_change_permission(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deny where it would delete a superuser; an account is switched off instead."""
        return bool(request.user.is_superuser and super().has_delete_permission(request, obj))


class RoleAdmin(GroupAdmin, ToldAdmin):  # type: ignore[misc] # as above
    """Groups with their permissions."""


class SuperuserAdmin(CurationAdmin):
    """Pages that only superusers open, whatever permissions others have."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request) and bool(super().has_add_permission(request))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)


def _replace(model: Any, page: type[CurationAdmin]) -> None:
    admin.site.unregister(model)
    admin.site.register(model, page)


def _restrict_queue() -> None:
    """Keep the queue's tables from everybody but superusers: a task names a function to run."""
    for model in apps.get_app_config("django_q").get_models():
        if admin.site.is_registered(model):
            theirs = type(admin.site.get_model_admin(model))
            _replace(model, type(theirs.__name__, (SuperuserAdmin, theirs), {}))


admin.site.index_title = "Home"
_replace(User, CurrentUserAdmin)
_replace(Group, RoleAdmin)
_restrict_queue()
