"""The form of a ranking profile: every number under a name a curator understands."""

from dataclasses import fields
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminTextareaWidget

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
                "rrf_k",
            ),
            "description": (
                "Each question is looked up by meaning (vector arm) and by words (keyword arm)."
                " The two lists become one by their weights: of scores, or of places only, where"
                " the constant says how little the first places stand out."
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
                "Weighted sum: the four weights share the score; only their proportions count."
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
)


# Fields that `check_profile` names.
CONTRADICTING = frozenset({"vector_weight", "relevance_weight", "answerable_confidence"})


class ProfileForm(forms.ModelForm):
    """A profile; what concerns the one default is checked by the service that exchanges it."""

    class Meta:
        model = RankingProfile
        fields = "__all__"  # noqa: DJ007 # the admin's fieldsets choose
        widgets = {"description": UnfoldAdminTextareaWidget({"rows": 3})}
        labels = {
            "label": "Name",
            "slug": "Name for programs",
            "is_default": "The default",
            "vector_depth": "Taken by meaning",
            "keyword_depth": "Taken by words",
            "min_similarity": "Least similarity",
            "synonym_weight": "Synonyms",
            "fusion": "Merged by",
            "vector_weight": "Meaning",
            "keyword_weight": "Words",
            "rrf_k": "Constant of places",
            "blend": "Score is",
            "relevance_weight": "Relevance",
            "freshness_weight": "Freshness",
            "trust_weight": "Trust",
            "authority_weight": "Authority",
            "undated_freshness": "Freshness if undated",
            "lexical_boost": "Boost for words",
            "recency_weight": "Newest asked for",
            "recency_half_life_days": "Half of it after days",
            "named_source_boost": "Boost for named sources",
            "period_boost": "Boost for named periods",
            "document_cap": "Per document",
            "source_cap": "Per source",
            "type_cap": "Per kind of source",
            "answerable_confidence": "Suffices from",
            "weak_confidence": "Weak from",
            "context_tokens": "Tokens",
            "context_passages": "Passages",
            "context_order": "Order",
        }

    def clean(self) -> dict[str, Any] | None:
        """Refuse what contradicts itself beside the field, in the words of the service."""
        cleaned = super().clean() or self.cleaned_data
        names = {field.name for field in fields(Profile)} & cleaned.keys()
        try:
            check_profile(Profile(**{name: cleaned[name] for name in names}))
        except InvalidProfileError as error:
            self.add_error(error.field, error.message)
        return cleaned

    def _get_validation_exclusions(self) -> set[str]:
        # A contradiction is told once; the constraint of the database would tell it again.
        told = CONTRADICTING if self.errors.keys() & CONTRADICTING else set()
        return {*super()._get_validation_exclusions(), "is_default", *told}  # type: ignore[misc] # the stubs leave it out
