"""The page "What would this change?": old and new order side by side, then save or leave."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode

from crmind.exceptions import CRMindError
from knowledge.history import because
from retrieval.admin.people import curator_of
from retrieval.admin.profile_form import EXTRA_FIELDS
from retrieval.admin.what_if_kinds import (
    KINDS,
    Kind,
    as_typed,
    changes_in,
    form_for,
    proposal_for,
    save,
    values_of,
)
from retrieval.admin.what_if_page import describe_changes
from retrieval.admin.what_if_questions import QuestionForm, rehearse

SAVED_AFTER = "Saved on the page “What would this change?”."
TAKEN_BACK = "Taken back on the page “What would this change?”."


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One row with the values to try on it."""

    kind: Kind
    row: Any
    form: forms.ModelForm
    question: str

    @property
    def changes(self) -> dict[str, Any]:
        """The valid values that differ from the row's."""
        return changes_in(self.kind, self.form, self.row) if self.form.is_valid() else {}


def what_would_change(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Show what values would do; by POST take them from a change form, or save them."""
    chosen = KINDS.get(kind)
    if chosen is None:
        raise Http404
    if not request.user.has_perm(chosen.permission):
        raise PermissionDenied
    row = chosen.model.objects.filter(pk=pk).first()
    if row is None:
        raise Http404
    given = request.POST if request.method == "POST" else request.GET
    trial = Trial(
        kind=chosen,
        row=row,
        form=form_for(chosen, row, given.dict()),
        question=given.get("question", ""),
    )
    if request.method != "POST":
        return _page(request, trial, trial.changes, is_asked="show" in request.GET)
    if "save" in request.POST:
        return _save(request, trial)
    return HttpResponseRedirect(_address(trial, _typed(trial, given.dict()), show="1"))


def _page(
    request: HttpRequest, trial: Trial, changes: Mapping[str, Any], *, is_asked: bool
) -> HttpResponse:
    outcome = None
    question_form = QuestionForm({"question": trial.question})
    if is_asked and changes:
        try:
            proposal = proposal_for(trial.kind, {trial.row: changes})
            outcome = rehearse(request, proposal, trial.question)
        except CRMindError as error:
            field = "question" if error.field == "question" else None
            question_form.add_error(field, error.message)
    row = trial.row
    opts = row._meta  # noqa: SLF001 # documented
    context = {
        **admin.site.each_context(request),
        "title": "What would this change?",
        "row": row,
        "kind": trial.kind.name,
        "is_long": len(trial.kind.fields) > 2,  # noqa: PLR2004 # more than fit beside each other
        "row_kind": opts.verbose_name,
        "row_link": reverse(f"admin:{opts.label_lower.replace('.', '_')}_change", args=[row.pk]),
        "form": trial.form,
        "fields": [trial.form[name] for name in trial.kind.fields],
        "extras": [trial.form[name] for name in EXTRA_FIELDS[:2] if name in trial.form.fields],
        "question_form": question_form,
        "changes": describe_changes(trial.form, values_of(trial.kind, row), changes),
        "typed": {name: trial.form[name].value() for name in trial.kind.fields},
        "seen": _seen(trial),
        "was_saved": "saved" in request.GET,
        "is_asked": is_asked,
        "outcome": outcome,
    }
    return TemplateResponse(request, "admin/what_if.html", context)


def _save(request: HttpRequest, trial: Trial) -> HttpResponse:
    """Save the values if the row is as it was shown, and offer to take them back."""
    if not trial.form.is_valid():
        return _page(request, trial, {}, is_asked=False)
    if request.POST.get("seen") != _seen(trial):
        messages.error(
            request,
            "Somebody else changed it after you opened this page. Your values are kept below; look"
            " at them beside the new ones, then save again.",
        )
        return HttpResponseRedirect(_address(trial, _typed(trial, request.POST.dict())))
    changes = trial.changes
    before = values_of(trial.kind, trial.row)
    is_return = "is_return" in request.POST
    try:
        with because(TAKEN_BACK if is_return else SAVED_AFTER):
            save(
                trial.kind,
                trial.row,
                changes,
                user=curator_of(request),
                reason=request.POST.get("override_reason", ""),
            )
    except CRMindError as error:
        trial.form.add_error(
            error.field if error.field in trial.form.fields else None, error.message
        )
        return _page(request, trial, changes, is_asked=False)
    log_change(request, trial.row, before, changes)
    if is_return:
        messages.success(request, f"{trial.row}: taken back.")
        return HttpResponseRedirect(_address(trial, {}))
    messages.success(request, f"{trial.row}: saved. It counts from the next question on.")
    former = {name: value for name, value in as_typed(before).items() if name in changes}
    return HttpResponseRedirect(_address(trial, former, saved="1"))


def log_change(
    request: HttpRequest, row: Any, before: Mapping[str, Any], changes: Mapping[str, Any]
) -> None:
    """Note a change in the admin's own log as well, with old and new."""
    told = ", ".join(
        f"{name} from {before[name]} to {value}" for name, value in sorted(changes.items())
    )
    page = admin.site.get_model_admin(type(row))
    page.log_change(request, row, f"Changed {told or 'nothing'}.")


def _typed(trial: Trial, given: Mapping[str, str]) -> dict[str, str]:
    """Return the given values, as typed, that are not those of the row."""
    current = values_of(trial.kind, trial.row)
    names = (*trial.kind.fields, "looks_one_way")
    return {
        name: given[name]
        for name in names
        if name in given and given[name] != _plain(current.get(name))
    }


def _plain(value: Any) -> str:
    return "" if value is None else str(value)


def _seen(trial: Trial) -> str:
    """Return the values the page was shown with."""
    return json.dumps(values_of(trial.kind, trial.row), sort_keys=True)


def _address(trial: Trial, values: Mapping[str, Any], **marks: str) -> str:
    page = reverse("what-if", args=[trial.kind.name, trial.row.pk])
    question = {"question": trial.question} if trial.question else {}
    return f"{page}?{urlencode({**values, **question, **marks})}"
