"""The pages of the history: all changes, those of one row, and taking one back."""

from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib import admin, messages
from django.contrib.admin.exceptions import NotRegistered
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from crmind.exceptions import CRMindError
from crmind.history.forms import ChangesForm
from crmind.history.kinds import (
    history_of,
    is_tracked,
    label_of,
    title_of,
    visible_models,
)
from crmind.history.listing import (
    ADDED,
    CHANGED,
    DELETED,
    LOGGED,
    Change,
    Place,
    Wanted,
    find_changes,
)
from crmind.history.revert import (
    FIELDS,
    RETURNING,
    REVERTS,
    bring_back,
    plan_return,
    plan_revert,
    revert,
)
from knowledge.admin.related import may_exist

TYPES = {ADDED: ("Added", "success"), CHANGED: ("Changed", "info"), DELETED: ("Deleted", "danger")}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChange:
    """A change as the pages show it."""

    change: Change
    kind: str
    word: str
    badge: str
    link: str
    revert: str


@require_safe
def changes(request: HttpRequest) -> HttpResponse:
    """Show what was changed, by whom and when."""
    models = visible_models(request)
    if not models:
        raise PermissionDenied
    form = ChangesForm(request.GET, kinds=[(label_of(each), title_of(each)) for each in models])
    form.is_valid()
    after = Place.read(request.GET.get("after", ""))
    found, following = find_changes(request, form.wanted(after=after))
    context = {
        "title": "Changes",
        "form": form,
        "shown": _shown(request, found),
        "is_first": after is None,
        **_addresses(request, following),
    }
    return _page(request, "admin/history/changes.html", context)


def object_history(request: HttpRequest, app: str, model: str, key: str) -> HttpResponse:
    """Show the changes of one row; rows without a history show the admin's own log."""
    page, row = _open(request, app, model, key)
    if not is_tracked(page.model):
        log: HttpResponse = page.history_view(request, key)
        return log
    if not page.has_view_or_change_permission(request, row):
        raise PermissionDenied
    after = Place.read(request.GET.get("after", ""))
    wanted = Wanted(kind=label_of(page.model), key=str(row.pk), after=after)
    found, following = find_changes(request, wanted)
    context = {
        "title": f"History of {row}",
        "object": row,
        "opts": page.opts,
        "shown": _shown(request, found),
        "is_first": after is None,
        **_addresses(request, following),
    }
    return _page(request, "admin/history/object.html", context)


def take_back(request: HttpRequest, app: str, model: str, number: int) -> HttpResponse:
    """Show what taking a change back would do; do it when that is confirmed."""
    page = _admin_of(app, model)
    if not is_tracked(page.model):
        raise Http404
    record = history_of(page.model, request.user).filter(history_id=number).first()
    if record is None:
        raise Http404
    row = page.get_queryset(request).filter(pk=_key(record)).first()
    _check_may_take_back(request, page, record, row)
    if request.method == "POST":
        try:
            row = _take_back(request, record, row)
        except CRMindError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(request.get_full_path())
        messages.success(request, f"{row}: the change was taken back.")
        return HttpResponseRedirect(_history_address(page.model, row.pk))
    context = {
        "title": "Bring back what was deleted" if row is None else "Take back a change",
        "opts": page.opts,
        "record": record,
        "kind": title_of(page.model),
        "row": row,
        "plan": plan_return(record) if row is None else plan_revert(row, record),
        "back": reverse("changes"),
    }
    return _page(request, "admin/history/revert.html", context)


def _take_back(request: HttpRequest, record: Any, row: Any) -> Any:
    if row is None:
        return bring_back(record)
    revert(row, record, seen=request.POST.get("seen", ""))
    return row


def _check_may_take_back(request: HttpRequest, page: Any, record: Any, row: Any) -> None:
    if row is None:
        if record.history_type != DELETED:
            raise Http404
        if not page.has_add_permission(request):
            raise PermissionDenied
    elif not page.has_change_permission(request, row):
        raise PermissionDenied


def _shown(request: HttpRequest, found: list[Change]) -> list[ShownChange]:
    return [_show(request, change) for change in found]


def _show(request: HttpRequest, change: Change) -> ShownChange:
    kind = change.kind.removeprefix(f"{LOGGED}:")
    model = apps.get_model(kind)
    word, badge = TYPES[change.type]
    return ShownChange(
        change=change,
        kind=title_of(model),
        word=word,
        badge=badge,
        link=_link(model, change),
        revert=_revert_address(request, model, change),
    )


def _link(model: Any, change: Change) -> str:
    if change.type == DELETED or not change.key:
        return ""
    return reverse(f"admin:{_name(model)}_change", args=[quote(change.key)])


def _revert_address(request: HttpRequest, model: Any, change: Change) -> str:
    """Return where to take a change back, empty where that is not possible or not allowed."""
    page = admin.site.get_model_admin(model)
    if change.type == DELETED:
        is_open = change.kind in RETURNING and page.has_add_permission(request)
    else:
        is_open = _is_revertible(change) and page.has_change_permission(request)
    if not is_open:
        return ""
    app, _, name = change.kind.partition(".")
    return reverse("take_back", args=[app, name, change.number])


def _is_revertible(change: Change) -> bool:
    fields = {each.field for each in change.changes}
    return bool(fields) and change.kind in REVERTS and fields <= FIELDS.get(change.kind, fields)


def _open(request: HttpRequest, app: str, model: str, key: str) -> tuple[Any, Any]:
    page = _admin_of(app, model)
    row = page.get_object(request, unquote(key)) if may_exist(page.model, key) else None
    if row is None:
        raise Http404
    return page, row


def _admin_of(app: str, model: str) -> Any:
    try:
        return admin.site.get_model_admin(apps.get_model(app, model))
    except (LookupError, NotRegistered) as error:
        raise Http404 from error


def _addresses(request: HttpRequest, following: Place | None) -> dict[str, str]:
    newest = request.GET.copy()
    newest.pop("after", None)
    older = newest.copy()
    older["after"] = str(following or "")
    return {
        "newest": f"?{newest.urlencode()}",
        "older": f"?{older.urlencode()}" if following else "",
    }


def _history_address(model: Any, key: Any) -> str:
    return reverse(f"admin:{_name(model)}_history", args=[quote(str(key))])


def _name(model: Any) -> str:
    return label_of(model).replace(".", "_")


def _key(record: Any) -> Any:
    return getattr(record, record.instance_type._meta.pk.attname)  # noqa: SLF001 # documented


def _page(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    return TemplateResponse(request, template, {**admin.site.each_context(request), **context})
