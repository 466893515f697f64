"""What a curator does with sources: index anew, pause, retire, forget answers that cite them."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from unfold.decorators import action

from knowledge.admin.curation import CurationAdmin, confirm, leave, run_each
from knowledge.admin.source_effects import PAUSED_MEANS, describe_forgetting, describe_retiring
from knowledge.models import RunTrigger, Source
from knowledge.services import forget_citing_answers, update_source
from knowledge.tasks import enqueue_refresh, enqueue_reindex_source


class SourceActions(CurationAdmin):
    """The actions of the list and of the page of a source."""

    actions = ("check_now", "reindex", "pause", "resume", "retire", "bring_back", "forget_answers")
    actions_detail = (
        "check_now_this",
        "reindex_this",
        "pause_this",
        "resume_this",
        "retire_this",
        "bring_back_this",
        "forget_answers_this",
    )

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        """Return the actions that the state of the source allows."""
        source = Source.objects.only("enabled", "is_paused").filter(pk=object_id).first()
        unfit = set()
        if source is not None:
            unfit.add("pause_this" if source.is_paused else "resume_this")
            unfit.add("bring_back_this" if source.enabled else "retire_this")
        offered = super().get_actions_detail(request, object_id)
        return [each for each in offered if not each.action_name.endswith(tuple(unfit))]

    def has_reindex_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may start runs."""
        return bool(request.user.has_perm("knowledge.add_ingestionrun"))

    def has_forget_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may forget cached answers."""
        return bool(request.user.has_perm("cachemgr.delete_cachedresponse"))

    @admin.action(description="Check now", permissions=["reindex"])
    def check_now(self, request: HttpRequest, queryset: QuerySet[Source]) -> None:
        """Read each chosen source again where it lies."""
        self._start_runs(request, queryset, self._refresh(request), "Reading again")

    @action(
        description="Check now",
        url_path="check",
        permissions=["reindex"],
        icon="update",
        dialog={
            "title": "Check this source now?",
            "description": (
                "It is read again where it lies: what is new comes in, what changed is indexed"
                " anew. What is indexed now keeps answering meanwhile."
            ),
            "form_submit_text": "Check now",
        },
    )
    def check_now_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Read the source of the page again where it lies."""
        this = self._this(request, object_id)
        self._start_runs(request, this, self._refresh(request), "Reading again")
        return self._back(request, object_id)

    @admin.action(description="Reindex", permissions=["reindex"])
    def reindex(self, request: HttpRequest, queryset: QuerySet[Source]) -> None:
        """Start a run for each chosen source."""
        self._start_runs(request, queryset, self._reindex(request), "Reindexing started")

    @action(
        description="Reindex",
        url_path="reindex",
        permissions=["reindex"],
        icon="sync",
        dialog={
            "title": "Reindex this source?",
            "description": (
                "The passages of every document are made anew from its stored text. What is indexed"
                " now keeps answering until the new version of each document is ready."
            ),
            "form_submit_text": "Reindex",
        },
    )
    def reindex_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Start a run for the source of the page."""
        this = self._this(request, object_id)
        self._start_runs(request, this, self._reindex(request), "Reindexing started")
        return self._back(request, object_id)

    @admin.action(description="Pause", permissions=["change"])
    def pause(self, request: HttpRequest, queryset: QuerySet[Source]) -> None:
        """Let the schedules of the chosen sources rest."""
        self._set(request, queryset, "Paused: {count} sources.", is_paused=True)

    @admin.action(description="Resume", permissions=["change"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Source]) -> None:
        """Let the schedules of the chosen sources go on."""
        self._set(request, queryset, "Resumed: {count} sources.", is_paused=False)

    @action(
        description="Pause",
        url_path="pause",
        permissions=["change"],
        icon="pause",
        dialog={
            "title": "Pause this source?",
            "description": PAUSED_MEANS,
            "form_submit_text": "Pause",
        },
    )
    def pause_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Let the schedule of the source of the page rest."""
        self._set(request, self._this(request, object_id), "The source is paused.", is_paused=True)
        return self._back(request, object_id)

    @action(
        description="Resume",
        url_path="resume",
        permissions=["change"],
        icon="play_arrow",
        dialog={
            "title": "Resume this source?",
            "description": "Its schedule brings in what is new again.",
            "form_submit_text": "Resume",
        },
    )
    def resume_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Let the schedule of the source of the page go on."""
        this = self._this(request, object_id)
        self._set(request, this, "The source is resumed.", is_paused=False)
        return self._back(request, object_id)

    @admin.action(description="Retire…", permissions=["change"])
    def retire(self, request: HttpRequest, queryset: QuerySet[Source]) -> HttpResponse | None:
        """Take the chosen sources out of search, after a question."""
        question = self._ask_to_retire(request, queryset)
        if question is None:
            self._set(request, queryset, "Retired: {count} sources.", enabled=False)
        return question

    @action(description="Retire", url_path="retire", permissions=["change"], icon="archive")
    def retire_this(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Take the source of the page out of search, after a question."""
        this = self._this(request, object_id)
        question = self._ask_to_retire(request, this)
        if question is None:
            self._set(request, this, "The source is retired.", enabled=False)
        return question or self._back(request, object_id)

    @admin.action(description="Bring back", permissions=["change"])
    def bring_back(self, request: HttpRequest, queryset: QuerySet[Source]) -> None:
        """Search the chosen sources again."""
        self._set(request, queryset, "Searched again: {count} sources.", enabled=True)

    @action(
        description="Bring back",
        url_path="bring-back",
        permissions=["change"],
        icon="unarchive",
        dialog={
            "title": "Bring this source back?",
            "description": "Its documents are searched again from the next question on.",
            "form_submit_text": "Bring back",
        },
    )
    def bring_back_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Search the source of the page again."""
        this = self._this(request, object_id)
        self._set(request, this, "The source is searched again.", enabled=True)
        return self._back(request, object_id)

    @admin.action(description="Forget cached answers…", permissions=["forget"])
    def forget_answers(
        self, request: HttpRequest, queryset: QuerySet[Source]
    ) -> HttpResponse | None:
        """Forget the cached answers that cite the chosen sources, after a question."""
        question = confirm(
            self,
            request,
            queryset,
            title="Forget the cached answers that cite these sources?",
            consequence=lambda: describe_forgetting(queryset),
            button="Forget",
        )
        if question is None:
            count = forget_citing_answers(source.pk for source in queryset)
            for source in queryset:
                self.log_change(request, source, "Cached answers that cite it forgotten.")
            messages.success(request, f"Forgotten: {count} cached answers.")
        return question

    @action(
        description="Forget cached answers",
        url_path="forget-answers",
        permissions=["forget"],
        icon="ink_eraser",
    )
    def forget_answers_this(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Forget the cached answers that cite the source of the page, after a question."""
        this = self._this(request, object_id)
        question = self.forget_answers(request, this)
        return question or self._back(request, object_id)

    def _ask_to_retire(
        self, request: HttpRequest, sources: QuerySet[Source]
    ) -> HttpResponse | None:
        return confirm(
            self,
            request,
            sources,
            title="Retire what these sources say?",
            consequence=lambda: describe_retiring(sources),
            button="Retire",
        )

    def _set(
        self, request: HttpRequest, sources: QuerySet[Source], done: str, **values: bool
    ) -> None:
        run_each(request, sources, lambda each: update_source(source=each, **values), done=done)

    def _this(self, request: HttpRequest, object_id: str) -> QuerySet[Source]:
        return self.get_queryset(request).filter(pk=object_id)

    def _back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return leave(request, self._page(object_id))

    def _page(self, object_id: str) -> str:
        return reverse("admin:knowledge_source_change", args=[object_id])

    def _reindex(self, request: HttpRequest) -> Callable[[Source], int]:
        return lambda source: enqueue_reindex_source(source_id=source.pk, user_id=request.user.pk)

    def _refresh(self, request: HttpRequest) -> Callable[[Source], int]:
        return lambda source: (
            enqueue_refresh(source, trigger=RunTrigger.ADMIN, user_id=request.user.pk).pk
        )

    def _start_runs(
        self,
        request: HttpRequest,
        sources: QuerySet[Source],
        start: Callable[[Source], int],
        done: str,
    ) -> None:
        runs: list[tuple[str, str]] = []

        def start_one(source: Source) -> None:
            run_id = start(source)
            runs.append(
                (reverse("admin:knowledge_ingestionrun_change", args=[run_id]), source.name)
            )
            self.log_change(request, source, f"{done}.")

        run_each(request, sources, start_one, done="")
        if runs:
            links = format_html_join(", ", '<a href="{}" class="underline">{}</a>', runs)
            messages.success(request, format_html("{}: {}.", done, links))
