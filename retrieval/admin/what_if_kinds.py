"""What can be tried before it is saved: sources, kinds of source and ranking profiles."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db import models
from unfold.widgets import UnfoldAdminDecimalFieldWidget

from knowledge.models import Source, SourceType
from knowledge.services import update_source, update_source_type
from retrieval.admin.profile_form import EXTRA_FIELDS, ProfileForm
from retrieval.evaluation.release import save_measured
from retrieval.evaluation.what_if import Proposal
from retrieval.models import RankingProfile
from retrieval.services import as_profile, get_profile, profile_values

_NOT_TRIED = frozenset({"slug", "label", "description", "status", "is_default"})
PROFILE_FIELDS = tuple(name for name in profile_values(RankingProfile()) if name not in _NOT_TRIED)


LABELS = {"half_life_days": "Half-life in days"}
HELP_TEXTS = {"authority_override": "0 to 1. Empty: the authority of its type."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One sort of row; `name` is that of its model, `permission` what saving needs."""

    name: str
    model: Any
    fields: tuple[str, ...]
    permission: str


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            name="source",
            model=Source,
            fields=("trust", "authority_override"),
            permission="knowledge.change_source",
        ),
        Kind(
            name="sourcetype",
            model=SourceType,
            fields=("authority", "half_life_days"),
            permission="knowledge.change_sourcetype",
        ),
        Kind(
            name="rankingprofile",
            model=RankingProfile,
            fields=PROFILE_FIELDS,
            permission="retrieval.change_rankingprofile",
        ),
    )
}


def form_for(
    kind: Kind, row: models.Model, given: Mapping[str, Any], *, prefix: str = ""
) -> forms.ModelForm:
    """Return the form of what is tried: the values as they are, and in their place those given.

    Where several rows share a page, `prefix` tells their fields apart.
    """
    names = (*kind.fields, *EXTRA_FIELDS)
    # A change form that was left early sends every field, and a copy keeps the row as it is.
    changed = {name: given[name] for name in names if name in given}
    values = {**as_typed(values_of(kind, row)), **changed}
    if prefix:
        values = {f"{prefix}-{name}": value for name, value in values.items()}
    return _form_class(kind)(values, instance=copy(row), prefix=prefix or None)


def changes_in(kind: Kind, form: forms.ModelForm, row: models.Model) -> dict[str, Any]:
    """Return the values of a valid form that are not those of the row."""
    current = values_of(kind, row)
    return {
        name: form.cleaned_data[name]
        for name in kind.fields
        if form.cleaned_data[name] != current[name]
    }


def values_of(kind: Kind, row: models.Model) -> dict[str, Any]:
    """Return the values of a row that can be tried."""
    return {name: getattr(row, name) for name in kind.fields}


def as_typed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as a form takes them."""
    return {name: "" if value is None else value for name, value in values.items()}


def proposal_for(kind: Kind, rows: Mapping[Any, Mapping[str, Any]]) -> Proposal:
    """Return what is to be rehearsed: rows with their new values, of profiles one.

    Raises UnknownProfileError without a default profile.
    """
    if kind.model is RankingProfile:
        ((row, changes),) = rows.items()
        before = as_profile(row)
        return Proposal(before=before, after=replace(before, **changes))
    default = get_profile()
    keys = [row.pk for row in rows]
    limits = {"pk__in": keys} if kind.model is Source else {"source_type__in": keys}
    return Proposal(
        before=default,
        after=default,
        model=kind.model,
        rows={row.pk: changes for row, changes in rows.items()},
        touched_sources=dict(Source.objects.filter(**limits).values_list("pk", "name")),
    )


def save(
    kind: Kind, row: Any, changes: Mapping[str, Any], *, user: User | None, reason: str = ""
) -> None:
    """Save through the service that also the row's own page uses. Raises what that refuses."""
    if kind.model is Source:
        update_source(source=row, **changes)
    elif kind.model is SourceType:
        update_source_type(source_type=row, **changes)
    else:
        save_measured(
            profile=row,
            changes=changes,
            user=user,
            seen_version=row.version,
            override_reason=reason,
        )


def _form_class(kind: Kind) -> Any:
    if kind.model is RankingProfile:
        return forms.modelform_factory(RankingProfile, form=ProfileForm, fields=kind.fields)
    widgets = {name: UnfoldAdminDecimalFieldWidget({"step": "any"}) for name in kind.fields}
    return forms.modelform_factory(
        kind.model, fields=kind.fields, widgets=widgets, labels=LABELS, help_texts=HELP_TEXTS
    )
