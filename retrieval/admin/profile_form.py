"""The form of a ranking profile: every number under a name a curator understands."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django import forms
from django.http import QueryDict
from unfold.widgets import (
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from retrieval.admin.profile_rules import LABELS, describe_conflict, silenced_arms, wrong_shares
from retrieval.evaluation.release import LONGEST_REASON
from retrieval.exceptions import InvalidProfileError
from retrieval.models import RankingProfile
from retrieval.ranking.profile import Profile, check_profile

FIELDSETS = (
    (
        None,
        {
            "fields": ("label", "slug", "description", "status", "is_default"),
            "description": (
                "Searches use the default profile unless they name another one. Only published"
                " profiles can be named; a draft is for trying out."
            ),
        },
    ),
    (
        "Finding: two ways to look",
        {
            "fields": (
                "vector_depth",
                "keyword_depth",
                "min_similarity",
                "synonym_weight",
                "fusion",
                ("vector_weight", "keyword_weight"),
                "looks_one_way",
                "rrf_k",
            ),
            "description": (
                "Each question is looked up by meaning (vector arm) and by words (keyword arm)."
                " The two lists become one by their weights, which add up to 1: of scores, or of"
                " places only, where the constant says how little the first places stand out."
            ),
        },
    ),
    (
        "Order: what makes the score",
        {
            "fields": (
                "blend",
                ("relevance_weight", "freshness_weight"),
                ("trust_weight", "authority_weight"),
                "bound",
                "undated_freshness",
                "lexical_boost",
                ("recency_weight", "recency_half_life_days"),
                ("named_source_boost", "period_boost"),
            ),
            "description": (
                "The four weights are shares and add up to 1. Weighted sum: they share the score."
                " Relevance within bounds: freshness, trust and authority may raise or lower"
                " relevance by at most the bound, so that they never bury the answer."
            ),
        },
    ),
    (
        "Variety: caps",
        {
            "fields": ("document_cap", "source_cap", "type_cap"),
            "description": (
                "So that one document or one kind of source does not fill the page, passages"
                " beyond these numbers move behind all others."
            ),
        },
    ),
    (
        "Verdict: does the evidence suffice?",
        {
            "fields": ("answerable_confidence", "weak_confidence"),
            "description": (
                "Confidence runs from 0 to 1 and grows with the similarity of the best passage and"
                " with its share of the words of the question. From the first figure on the"
                " evidence suffices, between the two it is weak, below nothing found is evidence."
            ),
        },
    ),
    (
        "Context: what the assistant gets",
        {
            "fields": ("context_tokens", "context_passages", "context_order"),
            "description": "A token is about three quarters of an English word.",
        },
    ),
    (
        "Quality",
        {
            "fields": ("override_reason", "seen_version"),
            "description": (
                "Before searches use what you changed here, the newest golden questions are asked"
                " with the numbers before and after, as many as fit into the time; saving takes so"
                " long. If the order of documents or the verdicts would get clearly worse, you are"
                " asked for a reason. What the assistant gets of them is not measured."
            ),
        },
    ),
)
# What only those who may change a profile fill in.
EXTRA_FIELDS = ("looks_one_way", "override_reason", "seen_version")


def without_extras(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a fieldset without what only a change needs."""
    return {**options, "fields": [name for name in options["fields"] if name not in EXTRA_FIELDS]}


# Fields that `check_profile` names.
CONTRADICTING = frozenset({"vector_weight", "relevance_weight", "answerable_confidence"})


class ProfileForm(forms.ModelForm):
    """A profile; what concerns the one default is checked by the service that exchanges it.

    `seen_version` is the version the page was opened with: a change made since is told.
    """

    looks_one_way = forms.BooleanField(
        required=False,
        label="Look one way only",
        help_text="Tick this to let one of the two ways count for nothing.",
        widget=UnfoldBooleanWidget,
    )
    override_reason = forms.CharField(
        required=False,
        max_length=LONGEST_REASON,
        label="Use it in spite of worse answers, because",
        help_text="Kept in the history with your name and the figures. Leave it empty otherwise.",
        widget=UnfoldAdminTextInputWidget,
    )
    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = RankingProfile
        fields = "__all__"  # noqa: DJ007 # the admin's fieldsets choose
        widgets = {"description": UnfoldAdminTextareaWidget({"rows": 3})}
        labels = LABELS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "seen_version" in self.fields and self.instance.pk:
            self.initial["seen_version"] = self.instance.version

    def clean(self) -> dict[str, Any] | None:
        """Refuse what contradicts itself beside the field, in the words of the service."""
        cleaned = super().clean() or self.cleaned_data
        names = {field.name for field in fields(Profile)} & cleaned.keys()
        try:
            check_profile(Profile(**{name: cleaned[name] for name in names}))
        except InvalidProfileError as error:
            self.add_error(error.field, error.message)
        else:
            # A field told to be wrong is no longer among the cleaned ones.
            given = dict(cleaned)
            if not given.get("looks_one_way"):
                self._tell(silenced_arms(given, self._edited))
            self._tell(wrong_shares(given, self._edited))
        self._check_version(cleaned)
        return cleaned

    @property
    def _edited(self) -> set[str]:
        """The fields that were changed; all of them for a new profile."""
        return set(self.changed_data) if self.instance.pk else set(self.fields)

    def _tell(self, wrong: Mapping[str, str]) -> None:
        for name, message in wrong.items():
            self.add_error(name, message)

    def _check_version(self, cleaned: Mapping[str, Any]) -> None:
        """Tell what somebody else changed since the page was opened; a second save overwrites it.

        The instance holds what was typed by now, so the stored row is read again.
        """
        seen = cleaned.get("seen_version")
        stored = RankingProfile.objects.filter(pk=self.instance.pk).first()
        if stored is None or seen is None or stored.version == seen:
            return
        self.add_error(None, describe_conflict(stored, seen))
        data = QueryDict(mutable=True)
        data.update(self.data)
        data[self.add_prefix("seen_version")] = str(stored.version)
        self.data = data

    def _get_validation_exclusions(self) -> set[str]:
        # A contradiction is told once; the constraint of the database would tell it again.
        told = CONTRADICTING if self.errors.keys() & CONTRADICTING else set()
        return {*super()._get_validation_exclusions(), "is_default", *told}  # type: ignore[misc] # the stubs leave it out
