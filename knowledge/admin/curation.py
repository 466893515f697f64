"""What every page of the admin has in common."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin import ShowFacets
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG
from django.contrib.postgres.fields import ArrayField
from django.db import DataError
from django.db.models import DateTimeField, Model, QuerySet
from django.db.models.constants import LOOKUP_SEP
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
from knowledge.admin.limits import describe_limit
from knowledge.admin.related import ChoosesRelated, may_be_key, may_exist
from knowledge.admin.words_field import words_field

# What an address may limit a list by, beside the list's own filters. Others, such as patterns, make
# the database stumble over what is typed, or tell letter by letter what a column holds.
LOOKUPS = frozenset({"exact", "gt", "gte", "lt", "lte", "in", "isnull"})
MOST_AT_ONCE = 1_000


class CurationList(ChangeList):
    """A list that offers "Show all" only where something is left out, and bears any address.

    `limits` are what an address limits it to beside its filters, in words.
    """

    full_result_count: int | None
    limits: tuple[str, ...] = ()

    def get_filters(self, request: HttpRequest) -> Any:
        found = super().get_filters(request)
        self.limits = tuple(
            describe_limit(self.opts, lookup, values) for lookup, values in found[2].items()
        )
        return found

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> Any:
        with _limited(request):
            return super().get_queryset(request, exclude_parameters)

    def get_results(self, request: HttpRequest) -> None:
        with _limited(request):
            super().get_results(request)
        if self.full_result_count is None and not (self.query or self.has_active_filters):
            self.full_result_count = self.result_count


@contextmanager
def _limited(request: HttpRequest) -> Iterator[None]:
    """Blame the address for what no row can be compared with, unless it limits nothing."""
    try:
        yield
    except (DisallowedModelAdminLookup, DataError, ValueError, OverflowError) as error:
        if not request.GET or ERROR_FLAG in request.GET:
            raise
        raise IncorrectLookupParameters(error) from error


class CurationAdmin(ChoosesRelated, ModelAdmin):
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
        chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if not all(may_be_key(self.model, key) for key in chosen):
            messages.error(request, "What was chosen is not in this list. Choose again.")
            return HttpResponseRedirect(request.get_full_path())
        try:
            return super().changelist_view(request, extra_context)
        except CRMindError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(request.get_full_path())

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        try:
            return super().get_changelist_instance(request)
        except IncorrectLookupParameters:
            if ERROR_FLAG not in request.GET:
                text = "The list cannot be limited to what the address says: it is shown whole."
                messages.error(request, text)
            raise

    def lookup_allowed(self, lookup: str, value: Any, request: Any = None) -> bool:
        """Deny what no link of ours needs; Django allows any comparison of any column."""
        last = lookup.rpartition(LOOKUP_SEP)[2] if LOOKUP_SEP in lookup else "exact"
        is_safe = last in LOOKUPS and "\0" not in str(value)
        return is_safe and bool(super().lookup_allowed(lookup, value, request))

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Take no moments out of the address: their two fields take nothing but a moment."""
        initial = super().get_changeform_initial_data(request)
        moments = {each.name for each in self.opts.fields if isinstance(each, DateTimeField)}
        return {name: value for name, value in initial.items() if name not in moments}

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> Any:
        if "\0" in search_term:
            return queryset.none(), False
        return super().get_search_results(request, queryset, search_term)

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
    if is_too_many(request, queryset):
        return HttpResponseRedirect(request.get_full_path())
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


def is_too_many(request: HttpRequest, rows: QuerySet[Any]) -> bool:
    """Return whether these are more rows than one request can change, and say so."""
    if len(rows.order_by().values_list("pk")[: MOST_AT_ONCE + 1]) <= MOST_AT_ONCE:
        return False
    text = f"At most {MOST_AT_ONCE} can be changed at once. Filter the list and choose fewer."
    messages.error(request, text)
    return True


def run_each(
    request: HttpRequest, rows: QuerySet[Any], change: Callable[[Any], Any], *, done: str
) -> None:
    """Apply `change` to each row; say how many were done and each refusal in its own words.

    `done` holds `{count}`. Of more than MOST_AT_ONCE none is changed.
    """
    if is_too_many(request, rows):
        return
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
