"""Embedding models: which one answers, and going over to another."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display

from knowledge.admin.curation import CurationList, ReadOnlyAdmin, leave, run_each
from knowledge.admin.embedding_space_form import choose_model
from knowledge.admin.embedding_space_page import BADGES, describe_list, describe_page, fitting
from knowledge.exceptions import ReembeddingError
from knowledge.models import EmbeddingSpace
from knowledge.services.reembedding import missing_count, request_stop, resume_filling
from knowledge.services.space_status import words_for
from knowledge.services.space_switch import retire_space, switch_space
from knowledge.services.space_tally import tally_passages, tally_vectors
from knowledge.tasks import enqueue_drop_space, enqueue_fill_space

# More than that are embedded by the worker: the page of the curator would wait for them.
MOST_AT_ONCE = 200

SWITCH_MEANS = (
    "From this moment on questions are answered by this model, in one step and without a pause."
    " The model in use until now is kept up to date, so that you can go back to it. Cached answers"
    " are withdrawn."
)


class EmbeddingSpaceList(CurationList):
    """A list whose rows know how many vectors there are, read for the page at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        tallies = tally_vectors(self.result_list, tally_passages())
        for space in self.result_list:
            space.embedded = tallies[space.pk]


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(ReadOnlyAdmin):
    """Models whose vectors are kept; the page of one that is being built refreshes itself."""

    list_display = ("name", "state", "embedded_count", "created_at", "activated_at")
    list_before_template = "admin/knowledge/embeddingspace/about.html"
    change_form_before_template = "admin/knowledge/embeddingspace/standing.html"
    fieldsets = (
        (None, {"fields": ("model", "provider", "dimensions", "created_at", "activated_at")}),
    )
    actions_list = ("change_model",)
    actions_detail = (
        "switch_this",
        "switch_this_anyway",
        "go_back_to_this",
        "stop_this",
        "resume_this",
        "drop_this",
    )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[EmbeddingSpaceList]:
        return EmbeddingSpaceList

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        return super().changelist_view(request, {**(extra_context or {}), "about": describe_list()})

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if space := kwargs.get("obj"):
            context["standing"] = describe_page(space, now=timezone.now())
        response = super().render_change_form(request, context, *args, **kwargs)
        if space and request.headers.get("HX-Request") and not context["standing"]["is_live"]:
            # What can be done with it is other than when the page was loaded.
            response.headers["HX-Refresh"] = "true"
        return response

    def has_exchange_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may change which model answers."""
        return bool(request.user.has_perm("knowledge.change_embeddingspace"))

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        """Return the actions that the state of the model allows."""
        offered = super().get_actions_detail(request, object_id)
        space = EmbeddingSpace.objects.filter(pk=object_id).first()
        wanted = fitting(space) if space is not None else frozenset()
        return [each for each in offered if each.action_name.endswith(tuple(wanted))]

    @action(
        description="Change the model",
        url_path="change-model",
        permissions=["exchange"],
        icon="swap_horiz",
    )
    def change_model(self, request: HttpRequest) -> HttpResponse:
        """Choose another model, see what it takes, and begin."""
        return choose_model(request)

    @action(
        description="Switch to it",
        url_path="switch",
        permissions=["exchange"],
        icon="swap_horiz",
        dialog={
            "title": "Let this model answer?",
            "description": SWITCH_MEANS,
            "form_submit_text": "Switch",
        },
    )
    def switch_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Let the model of the page answer."""
        return self._do(request, object_id, self._switch(), done="Switched.")

    @action(
        description="Switch anyway",
        url_path="switch-anyway",
        permissions=["exchange"],
        icon="warning",
        dialog={
            "title": "Let this model answer although it did worse?",
            "description": f"It answered the golden questions worse. {SWITCH_MEANS}",
            "form_submit_text": "Switch anyway",
        },
    )
    def switch_this_anyway(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Let the model of the page answer, worse as it did."""
        switch = self._switch(is_forced=True)
        return self._do(request, object_id, switch, done="Switched.")

    @action(
        description="Go back to it",
        url_path="go-back",
        permissions=["exchange"],
        icon="undo",
        dialog={
            "title": "Go back to this model?",
            "description": SWITCH_MEANS,
            "form_submit_text": "Go back",
        },
    )
    def go_back_to_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Let the model that answered before answer again."""
        switch = self._switch(is_forced=True)
        return self._do(request, object_id, switch, done="Gone back.")

    @action(
        description="Stop",
        url_path="stop",
        permissions=["exchange"],
        icon="stop",
        dialog={
            "title": "Stop embedding?",
            "description": "What is embedded stays, and you can go on later. Nothing changes for"
            " searches.",
            "form_submit_text": "Stop",
        },
    )
    def stop_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Ask whoever embeds to stop."""
        return self._do(request, object_id, request_stop, done="It stops after its batch.")

    @action(
        description="Go on",
        url_path="resume",
        permissions=["exchange"],
        icon="play_arrow",
        dialog={
            "title": "Go on embedding?",
            "description": "The queue worker embeds the passages that are left.",
            "form_submit_text": "Go on",
        },
    )
    def resume_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Embed what is left."""

        def resume(space: EmbeddingSpace) -> None:
            resume_filling(space)
            enqueue_fill_space(space.pk)

        return self._do(request, object_id, resume, done="The queue worker goes on.")

    @action(
        description="Drop",
        url_path="drop",
        permissions=["exchange"],
        icon="delete",
        dialog={
            "title": "Delete the vectors of this model?",
            "description": "There is no way back but to embed everything again. The model in use is"
            " not touched.",
            "form_submit_text": "Delete the vectors",
        },
    )
    def drop_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Delete the vectors of the model of the page."""

        def drop(space: EmbeddingSpace) -> None:
            retire_space(space=space, is_confirmed=True)
            enqueue_drop_space(space.pk)

        return self._do(request, object_id, drop, done="The queue worker deletes the vectors.")

    def _switch(self, *, is_forced: bool = False) -> Callable[[EmbeddingSpace], None]:
        def switch(space: EmbeddingSpace) -> None:
            missing = missing_count(space)
            if missing > MOST_AT_ONCE:
                enqueue_fill_space(space.pk)
                message = (
                    f"{missing} passages still lack a vector. The queue worker fills them in; try"
                    " again when it is through."
                )
                raise ReembeddingError(message)
            switch_space(space=space, now=timezone.now(), is_forced=is_forced)

        return switch

    def _do(
        self,
        request: HttpRequest,
        object_id: str,
        change: Callable[[EmbeddingSpace], None],
        *,
        done: str,
    ) -> HttpResponse:
        def change_and_log(space: EmbeddingSpace) -> None:
            change(space)
            self.log_change(request, space, done)

        chosen = EmbeddingSpace.objects.filter(pk=object_id)
        run_each(request, chosen, change_and_log, done=done)
        return leave(request, reverse("admin:knowledge_embeddingspace_change", args=[object_id]))

    @display(description="Model", ordering="model", header=True)
    def name(self, space: EmbeddingSpace) -> tuple[str, str]:
        """Return the name and where it is from."""
        return str(space), space.provider

    @display(description="State", ordering="status", label=BADGES)
    def state(self, space: EmbeddingSpace) -> tuple[str, str]:
        """Return the status as a badge."""
        return space.status, words_for(space).capitalize()

    @display(description="Passages embedded")
    def embedded_count(self, space: Any) -> str:
        """Return how many passages have a vector."""
        return str(space.embedded)
