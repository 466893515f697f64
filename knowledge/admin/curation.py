"""What every page of the admin has in common."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin import ShowFacets
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from unfold.admin import ModelAdmin
from unfold.views import ChangeList

from crmind.exceptions import CRMindError
from knowledge.admin.concurrency import guarded
from knowledge.admin.words_field import words_field


class CurationList(ChangeList):
    """A list that offers "Show all" only where something is left out."""

    full_result_count: int | None

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if self.full_result_count is None and not (self.query or self.has_active_filters):
            self.full_result_count = self.result_count


class CurationAdmin(ModelAdmin):
    """A page whose writes go through services, whose refusals appear at the field they concern."""

    show_full_result_count = False
    list_per_page = 50
    list_filter_submit = True
    show_facets = ShowFacets.NEVER

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except CRMindError as error:
            # The transaction is rolled back; the same form is shown again with the refusal in it.
            request.refusal = error  # type: ignore[attr-defined] # read by get_form below
            return super().changeform_view(request, object_id, form_url, extra_context)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        try:
            return super().changelist_view(request, extra_context)
        except CRMindError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(request.get_full_path())

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, ArrayField):
            return words_field(
                db_field, label=kwargs.get("label"), help_text=kwargs.get("help_text")
            )
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_urls(self) -> list[URLPattern]:
        urls: list[URLPattern] = super().get_urls()
        for address in urls:
            address.callback = self._only_for_keys(address.callback)
        return urls

    def _only_for_keys(self, view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            key = kwargs.get("object_id")
            if key is not None and not may_exist(self.model, key):
                raise Http404
            return view(request, *args, **kwargs)

        return checked

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[CurationList]:
        return CurationList

    def get_form(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> type[ModelForm]:
        form = super().get_form(request, obj, **kwargs)
        form = guarded(form) if obj is not None else form
        refusal = getattr(request, "refusal", None)
        return _refused(form, refusal) if refusal else form

    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> Any:
        return guarded(super().get_changelist_form(request, **kwargs))


class ReadOnlyAdmin(CurationAdmin):
    """Pages of what machines write: to look at, not to edit."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _refused(form: Any, refusal: CRMindError) -> Any:
    def clean(self: Any) -> Any:
        cleaned = super(form, self).clean()
        self.add_error(refusal.field if refusal.field in self.fields else None, refusal.message)
        return cleaned

    return type(form)(form.__name__, (form,), {"clean": clean})


def may_exist(model: Any, key: str) -> bool:
    """Return whether a key out of an address can be one of a row of `model`."""
    try:
        value = model._meta.pk.to_python(unquote(key))  # noqa: SLF001 # documented
    except ValidationError:
        return False
    return "\0" not in str(value)


def shown_if(field: str, value: str) -> str:
    """Return the condition to show a field by; those who may only look have no `field` to ask."""
    return f"typeof {field} === 'undefined' || {field} === '{value}'"


def changes_of(form: Any) -> dict[str, Any]:
    """Return the fields a person changed, with their new values."""
    return {name: form.cleaned_data[name] for name in form.changed_data}


def confirm(
    admin: ModelAdmin,
    request: HttpRequest,
    queryset: QuerySet[Any],
    *,
    title: str,
    consequence: str | Callable[[], str],
    button: str,
) -> HttpResponse | None:
    """Return the page that asks before an action runs, None when the answer was yes.

    A `consequence` that has to be counted is asked for only where it is shown.
    A "no" leads back to the list the action was chosen on, or to the page of the row.
    """
    if request.POST.get("confirmed") == "yes":
        return None
    context = {
        **admin.admin_site.each_context(request),
        "title": title,
        "consequence": consequence() if callable(consequence) else consequence,
        "button": button,
        "back": request.get_full_path() if "action" in request.POST else "../change/",
        "opts": admin.opts,
        "chosen": queryset[:100],
        "chosen_count": queryset.count(),
        "keys": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "action": request.POST.get("action", ""),
        "select_across": request.POST.get("select_across", "0"),
    }
    return TemplateResponse(request, "admin/confirm_action.html", context)


def run_each(
    request: HttpRequest, rows: QuerySet[Any], change: Callable[[Any], Any], *, done: str
) -> None:
    """Apply `change` to each row; say how many were done and each refusal in its own words.

    `done` holds `{count}`.
    """
    count = 0
    for row in rows:
        try:
            change(row)
        except CRMindError as error:
            messages.error(request, f"{row}: {error.message}")
        else:
            count += 1
    if count:
        messages.success(request, done.format(count=count))


def ago(moment: datetime | None) -> str | None:
    """Return how long ago `moment` was, None for never."""
    if moment is None:
        return None
    is_recent = timezone.now() - moment < timedelta(minutes=1)
    return "just now" if is_recent else f"{timesince(moment, depth=1)} ago"


def leave(request: HttpRequest, url: str) -> HttpResponse:
    """Go to `url` from a dialog, with or without JavaScript."""
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Redirect": url})
    return HttpResponseRedirect(url)


def link_to(row: Model, text: str = "") -> SafeString:
    """Return a link to the admin page of `row`."""
    url = reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])  # noqa: SLF001 # Django's public interface to a model's names
    return format_html('<a href="{}" class="text-link">{}</a>', url, text or str(row))
