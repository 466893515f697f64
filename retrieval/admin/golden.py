"""The golden set: questions and how well documents answer them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import BooleanRadioFilter
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from knowledge.admin.curation import CurationAdmin
from knowledge.admin.paging import PagedFormSet
from knowledge.admin.readers import only_readable
from knowledge.admin.related import ChoosesRelated
from knowledge.models import Source
from retrieval.admin.evaluation_page import preview_link
from retrieval.admin.grading import may_grade
from retrieval.admin.people import curator_of
from retrieval.evaluation.golden import address_of
from retrieval.models import GoldenQuestion, Judgement
from retrieval.models.golden import GRADES
from retrieval.services import remove_judgement, save_judgement, save_question

LIMITS = {
    "entity": "the entity",
    "sources": "the source",
    "types": "the kind of source",
    "since": "published from",
    "until": "published until",
}


class JudgementForm(forms.ModelForm):
    """A judgement whose grades say what they mean."""

    grade = forms.TypedChoiceField(
        coerce=int, choices=list(GRADES.items()), widget=UnfoldAdminSelectWidget
    )


class JudgedForm(JudgementForm):
    """A judgement below its question: the document it is of stays, so that none is looked up."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None and "document" in self.fields:
            only = [(self.instance.document_id, str(self.instance.document))]
            self.fields["document"].widget = UnfoldAdminSelectWidget(choices=only)


class GoldenQuestionForm(forms.ModelForm):
    """A question with its expected answer."""

    class Meta:
        labels = {
            "text": "Question",
            "is_answerable": "The documents answer it",
            "as_of": "As if it were",
        }
        help_texts = {
            "is_answerable": "Off: the right verdict is that there is no evidence.",
            "as_of": "Later documents do not exist then. Empty is now.",
        }
        widgets = {
            "text": UnfoldAdminTextareaWidget({"rows": 2}),
            "expected_answer": UnfoldAdminTextareaWidget({"rows": 3}),
        }


class JudgementInline(ChoosesRelated, TabularInline):
    """Documents judged for a question."""

    model = Judgement
    fields = ("document", "grade")
    autocomplete_fields = ("document",)
    form = JudgedForm
    extra = 0
    per_page = 20
    formset = PagedFormSet
    hide_title = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        judgements = super().get_queryset(request).select_related("document")
        return only_readable(judgements, request.user, field="document")


class ExchangedAdmin(CurationAdmin):
    """A list of the golden set, which files are taken into and written from."""

    actions_list = ("take_in", "as_csv", "as_beir")

    def has_grade_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_grade(request.user)

    @action(description="Import", icon="upload", permissions=["grade"])
    def take_in(self, request: HttpRequest) -> HttpResponse:
        """Go to the page that takes a file."""
        return HttpResponseRedirect(reverse("golden-import"))

    @action(description="Export as CSV", icon="download", permissions=["view"])
    def as_csv(self, request: HttpRequest) -> HttpResponse:
        """Download the golden set for a spreadsheet."""
        return HttpResponseRedirect(reverse("golden-export", args=["csv"]))

    @action(description="Export as BEIR", icon="download", permissions=["view"])
    def as_beir(self, request: HttpRequest) -> HttpResponse:
        """Download questions and judgements as evaluation programs read them."""
        return HttpResponseRedirect(reverse("golden-export", args=["beir"]))


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(ExchangedAdmin):
    """Questions whose right answers are known."""

    list_display = ("question", "is_answerable", "judgement_count", "created_by", "created_at")
    list_select_related = ("created_by",)
    list_filter = (("is_answerable", BooleanRadioFilter),)
    search_fields = ("text",)
    # Of its own: with its counts the order of the model does not hold.
    ordering = ("id",)
    inlines = (JudgementInline,)
    form = GoldenQuestionForm
    readonly_fields = ("limits", "ask_it")
    fieldsets = (
        (
            None,
            {"fields": ("text", "is_answerable", "expected_answer", "as_of", "limits", "ask_it")},
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).annotate(judged=Count("judgements"))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        save_question(question=obj, user=curator_of(request))

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        for judgement in formset.save(commit=False):
            save_judgement(judgement=judgement, user=curator_of(request))
        for judgement in formset.deleted_objects:
            remove_judgement(judgement=judgement)

    @display(description="Question", ordering="text")
    def question(self, question: GoldenQuestion) -> str:
        """Return the beginning of the question."""
        return Truncator(question.text).chars(120)

    @display(description="Limited to")
    def limits(self, question: GoldenQuestion) -> str:
        """Return the limits in words: the same question under others is another one."""
        given = [
            f"{LIMITS.get(name, name)} {', '.join(value) if isinstance(value, list) else value}"
            for name, value in question.filters.items()
        ]
        if question.access_tags:
            given.append(f"readers of {', '.join(question.access_tags)}")
        return "; ".join(given) or "nothing"

    @display(description="")
    def ask_it(self, question: Any) -> SafeString | str:
        """Return a link that asks the question under its limits."""
        if question.pk is None:
            return ""
        named = Source.objects.filter(name__in=question.filters.get("sources", ()))
        link = preview_link(address_of(question, dict(named.values_list("name", "pk"))))
        return format_html('<a href="{}" class="text-link">Try this question</a>', link)

    @display(description="Judged documents")
    def judgement_count(self, question: Any) -> int:
        """Return how many documents are judged."""
        return int(question.judged)


@admin.register(Judgement)
class JudgementAdmin(ExchangedAdmin):
    """How well a document answers a golden question."""

    list_display = ("question_text", "document", "grade_words", "created_by", "created_at")
    list_select_related = ("question", "document", "created_by")
    list_filter = ("grade",)
    search_fields = ("question__text", "document__title")
    autocomplete_fields = ("question", "document")
    fields = ("question", "document", "grade")
    form = JudgementForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return only_readable(super().get_queryset(request), request.user, field="document")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        save_judgement(judgement=obj, user=curator_of(request))

    @display(description="Question", ordering="question__text")
    def question_text(self, judgement: Judgement) -> str:
        """Return the beginning of the question."""
        return Truncator(judgement.question.text).chars(120)

    @display(description="Grade", ordering="grade")
    def grade_words(self, judgement: Judgement) -> str:
        """Return the grade with its meaning."""
        return GRADES[judgement.grade]
