"""The form of "Try a question": everything is in the address, so a link reproduces the page."""

from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.utils import timezone
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from crmind.exceptions import CRMindError, InvalidInputError
from knowledge.admin.related import RelatedSelect
from knowledge.models import EVERYONE, Document, Entity, Source, SourceType
from retrieval.models import RankingProfile
from retrieval.query.moments import Moment, end_of, parse_moment
from retrieval.query.parse import SearchRequest


class MomentField(forms.CharField):
    """A day or an instant, as ISO 8601."""

    def __init__(self, *, kind: str, name: str, **options: Any) -> None:
        self.name = name
        attributes = {"type": kind, "class": " ".join(INPUT_CLASSES)}
        super().__init__(required=False, widget=forms.TextInput(attributes), **options)

    def clean(self, value: Any) -> Moment | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            return parse_moment(text, field=self.name)
        except InvalidInputError as error:
            raise forms.ValidationError(error.message) from error


class TagsField(forms.CharField):
    """Access tags with commas between them; empty is `everyone`."""

    widget = UnfoldAdminTextInputWidget

    def clean(self, value: Any) -> frozenset[str]:
        text = super().clean(value)
        return frozenset(tag.strip() for tag in text.split(",") if tag.strip()) | {EVERYONE}


def _related(field: str) -> RelatedSelect:
    relation = Document._meta.get_field(field)  # noqa: SLF001 # Django's public interface to fields
    return RelatedSelect(relation, admin.site, attrs={"class": "unfold-admin-autocomplete"})


class PreviewForm(forms.Form):
    """A question and what it is limited to; fields are named as search requests name them."""

    question = forms.CharField(
        required=False,
        strip=False,
        label="Question",
        widget=UnfoldAdminTextInputWidget(
            {"placeholder": "Ask as a customer or colleague would", "autofocus": True}
        ),
    )
    entity = forms.ModelChoiceField(
        Entity.objects.all(), required=False, label="About", widget=_related("entities")
    )
    sources = forms.ModelChoiceField(
        Source.objects.all(), required=False, label="Source", widget=_related("source")
    )
    types = forms.ModelChoiceField(
        SourceType.objects.all(),
        required=False,
        label="Kind of source",
        empty_label="Every kind",
        to_field_name="slug",
        widget=UnfoldAdminSelectWidget,
    )
    profile = forms.ModelChoiceField(
        RankingProfile.objects.all(),
        required=False,
        label="Ranking profile",
        empty_label="The default",
        to_field_name="slug",
        widget=UnfoldAdminSelectWidget,
    )
    against = forms.ModelChoiceField(
        RankingProfile.objects.all(),
        required=False,
        label="Beside it",
        help_text="A second profile, to see both orders side by side.",
        empty_label="None",
        to_field_name="slug",
        widget=UnfoldAdminSelectWidget,
    )
    since = MomentField(kind="date", name="since", label="Published from")
    until = MomentField(kind="date", name="until", label="Published until")
    as_of = MomentField(
        kind="datetime-local",
        name="as_of",
        label="As if it were",
        help_text="Later documents do not exist then, and ages count from it. Empty is now.",
    )
    access_tags = TagsField(
        required=False,
        label="Asked by a reader of",
        help_text="Access tags with commas between them. Empty: only what everyone may read.",
    )
    top_k = forms.IntegerField(
        required=False,
        label="Passages",
        min_value=1,
        max_value=100,
        widget=UnfoldAdminIntegerFieldWidget({"placeholder": "10"}),
    )
    why_not = forms.ModelChoiceField(
        Document.objects.all(),
        required=False,
        label="Why not this document?",
        help_text="Tells where it stands, or what kept it out.",
        widget=_related("supersedes"),
    )

    def __init__(self, *args: Any, reads_everything: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not reads_everything:
            del self.fields["access_tags"]
            readable = Document.objects.readable_with(frozenset({EVERYONE}))
            cast("forms.ModelChoiceField[Document]", self.fields["why_not"]).queryset = readable

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but the question is given."""
        return any(self[name].value() for name in self.fields if name != "question")

    @property
    def filters(self) -> Iterable[forms.BoundField]:
        """The fields besides the question."""
        return [self[name] for name in self.fields if name != "question"]

    @property
    def reader_tags(self) -> frozenset[str]:
        """The tags of the reader the question is asked for."""
        return self.cleaned_data.get("access_tags") or frozenset({EVERYONE})

    def search_request(self) -> SearchRequest:
        """Return what the form asks for."""
        values = self.cleaned_data
        as_of = values["as_of"]
        return SearchRequest(
            question=values["question"],
            entity=str(values["entity"].pk) if values["entity"] else "",
            types=(values["types"].slug,) if values["types"] else (),
            sources=(values["sources"].name,) if values["sources"] else (),
            since=values["since"],
            until=values["until"],
            as_of=end_of(as_of, zone=timezone.get_current_timezone()) if as_of else None,
            top_k=values["top_k"] or 10,
            profile=values["profile"].slug if values["profile"] else "",
        )

    def refuse(self, error: CRMindError) -> None:
        """Show a refusal of the search beside the field it names."""
        self.add_error(error.field if error.field in self.fields else None, error.message)
