"""What curators teach about words: synonyms and intents."""

from typing import Any

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import BooleanRadioFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from knowledge.admin.curation import CurationAdmin
from retrieval.models import Intent, Synonym


@admin.register(Synonym)
class SynonymAdmin(CurationAdmin):
    """Words that mean the same in this company."""

    list_display = ("words", "is_one_way", "enabled", "try_it")
    list_filter = (("enabled", BooleanRadioFilter),)
    search_fields = ("terms",)
    fieldsets = (
        (
            None,
            {
                "fields": ("terms", "is_one_way", "enabled"),
                "description": (
                    "Two or more words or phrases with commas between them, for example:"
                    " CRM, customer database. A question with one of them is looked up by the"
                    " others too, which count less than the word that was asked; how much less,"
                    " the ranking profile says. One way: only a question with the first is widened."
                ),
            },
        ),
    )

    @display(description="Words", ordering="terms")
    def words(self, synonym: Synonym) -> str:
        """Return the words with the direction between them."""
        if not synonym.is_one_way:
            return " = ".join(synonym.terms)
        return f"{synonym.terms[0]} → {', '.join(synonym.terms[1:])}"

    @display(description="")
    def try_it(self, synonym: Synonym) -> SafeString:
        """Return a link that asks for the first of the words."""
        return try_link(synonym.terms[0])


@admin.register(Intent)
class IntentAdmin(CurationAdmin):
    """What a question is after, told by its words."""

    list_display = ("label", "words", "boost", "penalty", "enabled", "try_it")
    list_filter = (("enabled", BooleanRadioFilter),)
    search_fields = ("label", "slug", "keywords")
    prepopulated_fields = {"slug": ("label",)}
    fieldsets = (
        (None, {"fields": ("label", "slug", "enabled")}),
        (
            "Told by these words",
            {
                "fields": ("keywords",),
                "description": ("With commas between them, for example: price, cost, quote."),
            },
        ),
        (
            "Which sources answer it",
            {
                "fields": ("preferred_types", "boost", "avoided_types", "penalty"),
                "description": (
                    "Passages of preferred kinds of source gain the boost, those of avoided kinds"
                    " lose the penalty, each as a share of their score: 0.05 is a nudge, 0.2 the"
                    " most that is allowed."
                ),
            },
        ),
    )

    def formfield_for_manytomany(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        kwargs["widget"] = UnfoldAdminCheckboxSelectMultipleWidget()
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    @display(description="Words")
    def words(self, intent: Intent) -> str:
        """Return the keywords."""
        return ", ".join(intent.keywords)

    @display(description="")
    def try_it(self, intent: Intent) -> SafeString | str:
        """Return a link that asks for the first of the words."""
        return try_link(intent.keywords[0]) if intent.keywords else ""


def try_link(question: str) -> SafeString:
    """Return a link that asks a question."""
    address = f"{reverse('preview')}?{urlencode({'question': question})}"
    return format_html('<a href="{}" class="text-link">Try it</a>', address)
