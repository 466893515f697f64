"""Evaluations: started here, measured in the background, compared side by side."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.http import urlencode
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSelectWidget

from knowledge.admin.curation import ReadOnlyAdmin, ago
from knowledge.admin.run_page import BADGES
from retrieval.admin.evaluation_compare import compare_runs
from retrieval.admin.evaluation_page import describe_evaluation
from retrieval.admin.people import curator_of
from retrieval.models import EvaluationRun, GoldenQuestion, RankingProfile
from retrieval.services import cancel_evaluation
from retrieval.tasks import enqueue_evaluation

MOST_COMPARED = 6
LEAST_COMPARED = 2


class EvaluateForm(forms.Form):
    """Which profile to measure."""

    profile = forms.ModelChoiceField(
        RankingProfile.objects.all(),
        label="Ranking profile",
        help_text="A draft can be measured before anybody may use it.",
        widget=UnfoldAdminSelectWidget,
    )


@admin.register(EvaluationRun)
class EvaluationRunAdmin(ReadOnlyAdmin):
    """Quality of profiles on sets of questions; the page of a running one refreshes itself."""

    list_display = ("name", "state", "ndcg", "recall", "mrr", "question_count", "began")
    list_select_related = ("profile",)
    list_filter = (("profile", RelatedDropdownFilter), ("status", ChoicesDropdownFilter))
    ordering = ("-created_at", "-id")
    actions = ("compare",)
    actions_list = ("evaluate",)
    change_form_outer_before_template = "admin/retrieval/evaluationrun/progress.html"
    fieldsets = (
        (None, {"fields": ("dataset", "profile", "profile_version", "requested_by", "created_at")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        runs = super().get_queryset(request).select_related("profile", "requested_by")
        return runs.defer("per_question")

    def get_urls(self) -> list[Any]:
        base = "retrieval_evaluationrun"
        return [
            path("compare/", self.admin_site.admin_view(self.comparison), name=f"{base}_compare"),
            path(
                "<int:run_id>/cancel/",
                self.admin_site.admin_view(self.cancel),
                name=f"{base}_cancel",
            ),
            *super().get_urls(),
        ]

    def has_evaluate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("retrieval.add_evaluationrun"))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if run := kwargs.get("obj"):
            context["run"] = describe_evaluation(run, now=timezone.now())
            context["may_cancel"] = self.has_evaluate_permission(request)
        return super().render_change_form(request, context, *args, **kwargs)

    @action(
        description="Evaluate", url_path="evaluate", icon="play_arrow", permissions=["evaluate"]
    )
    def evaluate(self, request: HttpRequest) -> HttpResponse:
        """Ask which profile to measure, then hand it to the worker."""
        default = RankingProfile.objects.filter(is_default=True).first()
        wanted = request.GET.get("profile") or (default and default.pk)
        form = EvaluateForm(request.POST or None, initial={"profile": wanted})
        if request.method == "POST" and form.is_valid():
            user = curator_of(request)
            run_id = enqueue_evaluation(form.cleaned_data["profile"].pk, user and user.pk)
            messages.success(request, "The evaluation waits for the queue worker.")
            return HttpResponseRedirect(_page(run_id))
        context = {
            **self.admin_site.each_context(request),
            "title": "Evaluate a profile",
            "opts": self.opts,
            "form": form,
            "question_count": GoldenQuestion.objects.count(),
        }
        return TemplateResponse(request, "admin/retrieval/evaluationrun/evaluate.html", context)

    def cancel(self, request: HttpRequest, run_id: int) -> HttpResponse:
        """Ask a run to stop."""
        run = EvaluationRun.objects.filter(pk=run_id).first()
        if run is None:
            raise Http404
        if request.method != "POST" or not self.has_evaluate_permission(request):
            raise PermissionDenied
        cancel_evaluation(run=run, now=timezone.now())
        messages.success(request, "The evaluation stops after the question it is at.")
        return HttpResponseRedirect(_page(run_id))

    @admin.action(description="Compare", permissions=["view"])
    def compare(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Go to the comparison of the chosen runs."""
        keys = sorted(queryset.values_list("pk", flat=True)[: MOST_COMPARED + 1])
        if not LEAST_COMPARED <= len(keys) <= MOST_COMPARED:
            messages.error(request, f"Choose {LEAST_COMPARED} to {MOST_COMPARED} evaluations.")
            return None
        query = urlencode([("run", key) for key in keys])
        return HttpResponseRedirect(f"{reverse('admin:retrieval_evaluationrun_compare')}?{query}")

    def comparison(self, request: HttpRequest) -> HttpResponse:
        """Show runs side by side: measures, a chart, and where questions differ."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        keys = [int(key) for key in request.GET.getlist("run") if key.isascii() and key.isdigit()]
        chosen = [key for key in keys[:MOST_COMPARED] if key < 2**63]
        runs = list(
            EvaluationRun.objects.filter(pk__in=chosen).select_related("profile").order_by("pk")
        )
        if len(runs) < LEAST_COMPARED:
            messages.error(request, "Choose at least two evaluations to compare.")
            return HttpResponseRedirect(reverse("admin:retrieval_evaluationrun_changelist"))
        context = {
            **self.admin_site.each_context(request),
            "title": "Compare evaluations",
            "opts": self.opts,
            "comparison": compare_runs(runs),
        }
        return TemplateResponse(request, "admin/retrieval/evaluationrun/compare.html", context)

    @display(description="Evaluation", header=True)
    def name(self, run: EvaluationRun) -> tuple[str, str]:
        """Return the profile with its version, and the set."""
        label = run.profile.label if run.profile else "deleted profile"
        return f"{label}, version {run.profile_version}", f"Run {run.pk}, {run.dataset}"

    @display(description="State", ordering="status", label=BADGES)
    def state(self, run: EvaluationRun) -> tuple[str, str]:
        """Return the status as a badge."""
        return run.status, run.get_status_display()

    @display(description="nDCG@10")
    def ndcg(self, run: EvaluationRun) -> str:
        """Return the quality of the order."""
        return _measure(run, "ndcg@10")

    @display(description="Recall@10")
    def recall(self, run: EvaluationRun) -> str:
        """Return the share of right documents among the first ten."""
        return _measure(run, "recall@10")

    @display(description="MRR@10")
    def mrr(self, run: EvaluationRun) -> str:
        """Return how early the first right document comes."""
        return _measure(run, "mrr@10")

    @display(description="Asked for", ordering="created_at")
    def began(self, run: EvaluationRun) -> str | None:
        """Return how long ago it was asked for."""
        return ago(run.created_at)


def _measure(run: EvaluationRun, name: str) -> str:
    value = (run.measures.get("hybrid") or {}).get(name)
    return "" if value is None else f"{value:.3f}"


def _page(run_id: int) -> str:
    return reverse("admin:retrieval_evaluationrun_change", args=[run_id])
