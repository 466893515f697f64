"""What curators teach about words: synonyms and intents."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import BooleanRadioFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from knowledge.admin.curation import CurationAdmin, changes_of
from knowledge.admin.try_it import try_links
from retrieval.models import Intent, Synonym
from retrieval.services.words import save_intent, save_synonym


class TaughtForm(forms.ModelForm):
    """Leaves the rules to the service, which names the field and the remedy."""

    def _get_validation_exclusions(self) -> set[str]:
        return {field.name for field in self._meta.model._meta.fields}  # noqa: SLF001 # documented


@admin.register(Synonym)
class SynonymAdmin(CurationAdmin):
    """Words that mean the same in this company."""

    form = TaughtForm
    list_display = ("words", "is_one_way", "enabled", "try_it")
    list_filter = (("enabled", BooleanRadioFilter),)
    search_fields = ("terms",)
    fieldsets = (
        (
            None,
            {
                "fields": ("terms", "is_one_way", "enabled", "asked_with"),
                "description": (
                    "Two or more words or phrases with commas between them, for example:"
                    " CRM, customer database. A question with one of them is looked up by the"
                    " others too, which count less than the word that was asked; how much less,"
                    " the ranking profile says. One way: only a question with the first is widened."
                ),
            },
        ),
    )

    readonly_fields = ("asked_with",)

    def save_model(self, request: HttpRequest, obj: Synonym, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        stored = Synonym.objects.get(pk=obj.pk) if change else None
        changes = changes_of(form) if change else form.cleaned_data
        obj.pk = save_synonym(synonym=stored, changes=changes).pk

    @display(description="Try it", empty_value="Save it first.")
    def asked_with(self, synonym: Synonym) -> str | None:
        """Return links that ask for each word; the first alone widens a one-way entry."""
        if not synonym.pk:
            return None
        asked = synonym.terms[:1] if synonym.is_one_way else synonym.terms[:6]
        return try_links(*((f"Ask for “{term}”", {"question": term}) for term in asked))

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

    form = TaughtForm
    list_display = ("label", "words", "boost", "penalty", "enabled", "try_it")
    list_filter = (("enabled", BooleanRadioFilter),)
    search_fields = ("label", "slug", "keywords")
    prepopulated_fields = {"slug": ("label",)}
    fieldsets = (
        (None, {"fields": ("label", "slug", "enabled", "asked_with")}),
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

    readonly_fields = ("asked_with",)

    def save_model(self, request: HttpRequest, obj: Intent, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        stored = Intent.objects.get(pk=obj.pk) if change else None
        changes = changes_of(form) if change else form.cleaned_data
        obj.pk = save_intent(intent=stored, changes=changes).pk

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        """Leave the kinds of source to the service that saved the rest."""

    @display(description="Try it", empty_value="Save it first.")
    def asked_with(self, intent: Intent) -> str | None:
        """Return links that ask with each of the first words."""
        if not intent.pk:
            return None
        asked = intent.keywords[:6]
        return try_links(*((f"Ask for “{word}”", {"question": word}) for word in asked))

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
