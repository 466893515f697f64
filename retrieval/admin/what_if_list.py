"""The page "What would this change?" for several rows of a list at once."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode

from crmind.exceptions import CRMindError
from knowledge.history import because
from knowledge.models import Source, SourceType
from retrieval.admin.people import curator_of
from retrieval.admin.what_if import SAVED_AFTER, TAKEN_BACK, log_change
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

LISTED = (Source, SourceType)
# How the forms of a list and those of this page call their fields.
ROW_OF_LIST = re.compile(r"form-(\d{1,4})-id", re.ASCII)
FIELD = re.compile(r"(\d{1,18})-([a-z_]+)", re.ASCII)
KEY = re.compile(r"\d{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTrial:
    """One of the rows, with the form of what is tried on it."""

    kind: Kind
    row: Any
    form: forms.ModelForm

    @property
    def changes(self) -> dict[str, Any]:
        """The valid values that differ from the row's."""
        return changes_in(self.kind, self.form, self.row) if self.form.is_valid() else {}

    @property
    def typed(self) -> dict[str, Any]:
        """Every value as it was typed, by the name of its field on this page."""
        return {self.form.add_prefix(name): self.form[name].value() for name in self.kind.fields}


def what_would_these_change(request: HttpRequest, kind: str) -> HttpResponse:
    """Show what values would do; by POST take them from a list, or save them."""
    chosen = KINDS.get(kind)
    if chosen is None or chosen.model not in LISTED:
        raise Http404
    if not request.user.has_perm(chosen.permission):
        raise PermissionDenied
    given = request.POST if request.method == "POST" else request.GET
    is_list = request.method == "POST" and "save" not in request.POST
    values = _from_list(chosen, given) if is_list else _from_page(chosen, given)
    trials = [trial for trial in _trials(chosen, values) if trial.form.errors or trial.changes]
    if not trials:
        messages.info(request, "Change a number in the list first: nothing differs from it now.")
        return HttpResponseRedirect(_list_of(chosen))
    if is_list:
        return HttpResponseRedirect(_first_address(chosen, trials))
    if request.method == "POST":
        return _save(request, chosen, trials)
    return _page(request, chosen, trials, is_asked="show" in request.GET)


def _from_list(kind: Kind, given: Mapping[str, str]) -> dict[int, dict[str, str]]:
    """Return what somebody changed in a list, by the id of the row."""
    values: dict[int, dict[str, str]] = {}
    for name, key in given.items():
        if not (ROW_OF_LIST.fullmatch(name) and KEY.fullmatch(key)):
            continue
        form = name.removesuffix("id")
        changed = {
            field: given[form + field]
            for field in kind.fields
            if form + field in given and given[form + field] != given.get(f"initial-{form}{field}")
        }
        if changed:
            values[int(key)] = changed
    return values


def _from_page(kind: Kind, given: Mapping[str, str]) -> dict[int, dict[str, str]]:
    """Return what this page was opened or sent with, by the id of the row."""
    values: dict[int, dict[str, str]] = {}
    for name, value in given.items():
        match = FIELD.fullmatch(name)
        if match and match[2] in kind.fields:
            values.setdefault(int(match[1]), {})[match[2]] = value
    return values


def _trials(kind: Kind, values: Mapping[int, Mapping[str, str]]) -> Iterator[RowTrial]:
    rows = kind.model.objects.filter(pk__in=list(values))
    for row in rows:
        yield RowTrial(
            kind=kind, row=row, form=form_for(kind, row, values[row.pk], prefix=str(row.pk))
        )


def _page(
    request: HttpRequest, kind: Kind, trials: Sequence[RowTrial], *, is_asked: bool
) -> HttpResponse:
    question = request.GET.get("question", "")
    question_form = QuestionForm({"question": question})
    is_valid = not any(trial.form.errors for trial in trials)
    outcome = None
    if is_asked and is_valid:
        try:
            proposal = proposal_for(kind, {trial.row: trial.changes for trial in trials})
            outcome = rehearse(request, proposal, question)
        except CRMindError as error:
            field = "question" if error.field == "question" else None
            question_form.add_error(field, error.message)
    context = {
        **admin.site.each_context(request),
        "title": "What would this change?",
        "row_kinds": kind.model._meta.verbose_name_plural,  # noqa: SLF001 # documented
        "trials": [_described(trial) for trial in trials],
        "list_link": _list_of(kind),
        "question_form": question_form,
        "typed": {name: value for trial in trials for name, value in trial.typed.items()},
        "seen": _seen(trials),
        "is_valid": is_valid,
        "was_saved": "saved" in request.GET,
        "outcome": outcome,
    }
    return TemplateResponse(request, "admin/what_if_list.html", context)


def _described(trial: RowTrial) -> dict[str, Any]:
    opts = trial.row._meta  # noqa: SLF001 # documented
    address = f"admin:{opts.label_lower.replace('.', '_')}_change"
    return {
        "row": trial.row,
        "link": reverse(address, args=[trial.row.pk]),
        "form": trial.form,
        "fields": [trial.form[name] for name in trial.kind.fields],
        "changes": describe_changes(trial.form, values_of(trial.kind, trial.row), trial.changes),
    }


def _save(request: HttpRequest, kind: Kind, trials: Sequence[RowTrial]) -> HttpResponse:
    """Save all or none, if the rows are as they were shown; offer to take them back."""
    if any(trial.form.errors for trial in trials):
        return _page(request, kind, trials, is_asked=False)
    typed = {name: value for trial in trials for name, value in trial.typed.items()}
    if request.POST.get("seen") != _seen(trials):
        messages.error(
            request,
            "Somebody else changed one of them after you opened this page. Your values are kept"
            " below; look at them beside the new ones, then save again.",
        )
        return HttpResponseRedirect(_address(kind, typed))
    before = {trial.row.pk: values_of(kind, trial.row) for trial in trials}
    is_return = "is_return" in request.POST
    if not _is_saved(request, kind, trials, reason=TAKEN_BACK if is_return else SAVED_AFTER):
        return _page(request, kind, trials, is_asked=False)
    for trial in trials:
        log_change(request, trial.row, before[trial.row.pk], trial.changes)
    names = ", ".join(str(trial.row) for trial in trials)
    if is_return:
        messages.success(request, f"{names}: taken back.")
        return HttpResponseRedirect(_list_of(kind))
    messages.success(request, f"{names}: saved. It counts from the next question on.")
    former = {
        trial.form.add_prefix(name): value
        for trial in trials
        for name, value in as_typed(before[trial.row.pk]).items()
        if name in trial.changes
    }
    return HttpResponseRedirect(_address(kind, former, saved="1"))


def _is_saved(request: HttpRequest, kind: Kind, trials: Sequence[RowTrial], *, reason: str) -> bool:
    """Save all rows; where one is refused, tell it in its form and save none."""
    try:
        with transaction.atomic(), because(reason):
            for trial in trials:
                _save_one(kind, trial, user=curator_of(request))
    except CRMindError:
        return False
    return True


def _save_one(kind: Kind, trial: RowTrial, *, user: Any) -> None:
    try:
        save(kind, trial.row, trial.changes, user=user)
    except CRMindError as error:
        field = error.field if error.field in trial.form.fields else None
        trial.form.add_error(field, error.message)
        raise


def _seen(trials: Sequence[RowTrial]) -> str:
    """Return the values the page was shown with."""
    shown = {trial.row.pk: values_of(trial.kind, trial.row) for trial in trials}
    return json.dumps(shown, sort_keys=True)


def _first_address(kind: Kind, trials: Sequence[RowTrial]) -> str:
    """Return the page of the one row, or that of all."""
    typed = {name: value for trial in trials for name, value in trial.typed.items()}
    if len(trials) > 1:
        return _address(kind, typed, show="1")
    (trial,) = trials
    values = {name: trial.form[name].value() for name in kind.fields}
    page = reverse("what-if", args=[kind.name, trial.row.pk])
    return f"{page}?{urlencode({**values, 'show': '1'})}"


def _address(kind: Kind, values: Mapping[str, Any], **marks: str) -> str:
    return f"{reverse('what-if-list', args=[kind.name])}?{urlencode({**values, **marks})}"


def _list_of(kind: Kind) -> str:
    label = kind.model._meta.label_lower.replace(".", "_")  # noqa: SLF001 # documented
    return reverse(f"admin:{label}_changelist")
