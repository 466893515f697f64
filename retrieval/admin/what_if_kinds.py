"""What can be tried before it is saved: sources, kinds of source and ranking profiles."""

from collections.abc import Mapping
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


LABELS = {"authority_override": "Authority of its own", "half_life_days": "Half-life in days"}
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


def form_for(kind: Kind, row: models.Model, given: Mapping[str, Any]) -> forms.ModelForm:
    """Return the form of what is tried: the values as they are, and in their place those given."""
    current = values_of(kind, row)
    names = (*kind.fields, *EXTRA_FIELDS)
    changed = {name: given[name] for name in names if name in given}
    # A change form that was left early sends every field, and a copy keeps the row as it is.
    stored = kind.model.objects.get(pk=row.pk)
    return _form_class(kind)({**_as_typed(current), **changed}, instance=stored)


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


def proposal_for(kind: Kind, row: Any, changes: Mapping[str, Any]) -> Proposal:
    """Return what is to be rehearsed. Raises UnknownProfileError without a default profile."""
    if kind.model is RankingProfile:
        before = as_profile(row)
        return Proposal(before=before, after=replace(before, **changes), values=changes)
    default = get_profile()
    sources = Source.objects.filter(pk=row.pk)
    if kind.model is SourceType:
        sources = Source.objects.filter(source_type=row)
    return Proposal(
        before=default,
        after=default,
        model=kind.model,
        pk=row.pk,
        values=changes,
        touched_sources=dict(sources.values_list("pk", "name")),
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


def _as_typed(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: "" if value is None else value for name, value in values.items()}
