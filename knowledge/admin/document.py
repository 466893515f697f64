"""Documents: what is indexed, what is not, and why."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import action, display

from crmind.exceptions import CRMindError
from knowledge.admin.curation import CurationAdmin, confirm, leave, run_each
from knowledge.admin.document_bulk import edit_chosen
from knowledge.admin.document_changes import CHANGES
from knowledge.admin.document_filters import TroubleFilter, TypeFilter
from knowledge.admin.document_form import DocumentForm
from knowledge.admin.document_page import (
    BADGES,
    TROUBLED,
    describe_document,
    link_to_page,
    with_readable_relations,
)
from knowledge.admin.document_retry import retry_chosen
from knowledge.admin.document_text import page_number
from knowledge.admin.paging import BoundedPaginator
from knowledge.admin.readers import only_readable
from knowledge.admin.related import RelatedFilter
from knowledge.admin.upload import upload
from knowledge.models import Document, DocumentStatus
from knowledge.services import (
    restore_document,
    retire_document,
)
from knowledge.services.storing import RECOGNISED
from knowledge.tasks import enqueue_reindex_documents

REASON_CHARACTERS = 120

FACTS = (
    "source",
    "external_id",
    "title",
    "address",
    "author",
    "type_in_force",
    "language_name",
    "published_at",
    "fetched_at",
    "valid_from",
    "further_facts",
)

FACT_NAMES = {RECOGNISED: "named in the text"}
RETIRED_MEANS = (
    "What is retired is no longer searched, and answers in the cache that cite it are withdrawn."
    " Nothing is deleted: “Restore” brings it back."
)
RETRIED_MEANS = (
    "It is read again where it came from or, where that cannot be done, its passages are made from"
    " the text that is kept. What is indexed now keeps answering until then."
)
REINDEXED_MEANS = (
    "Its passages are made anew from its stored text. What is indexed now keeps answering until"
    " the new version is ready."
)


@admin.register(Document)
class DocumentAdmin(CurationAdmin):
    """Documents with their state; their text comes from the source and is not edited here."""

    list_display = (
        "name",
        "state",
        "reason",
        "source",
        "type_in_force",
        "published",
        "trust",
        "passages",
    )
    list_select_related = ("source__source_type", "source_type")
    list_filter = (
        TroubleFilter,
        ("status", ChoicesDropdownFilter),
        ("source", RelatedFilter),
        TypeFilter,
    )
    search_fields = ("title", "external_id")
    search_help_text = "Title or identifier"
    ordering = ("-updated_at", "-id")
    paginator = BoundedPaginator
    form = DocumentForm
    actions = ("retry", "reindex", "edit", "retire", "restore")
    actions_list = ("add_documents",)
    actions_detail = ("retry_this", "reindex_this", "retire_this", "restore_this")
    autocomplete_fields = ("supersedes", "entities")
    change_form_before_template = "admin/knowledge/document/state.html"
    change_form_outer_after_template = "admin/knowledge/document/content.html"
    fieldsets = (
        (
            "What you decide",
            {
                "fields": (
                    "trust",
                    "access_tags",
                    "entities",
                    "valid_until",
                    "supersedes",
                    "replaced_by",
                ),
                "description": (
                    "Everything else comes from the source. A change counts from the next"
                    " question on and stays when a new version comes in; answers in the cache"
                    " that cite the document are withdrawn."
                ),
            },
        ),
        ("What the source says", {"fields": FACTS}),
    )
    readonly_fields = FACTS

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return only_readable(super().get_queryset(request), request.user)

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Any:
        document = super().get_object(request, object_id, from_field)
        return document and with_readable_relations(document, request.user)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deny: documents come in through their source."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deny: what should not answer is retired, and can come back."""
        return False

    def has_reindex_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may start runs."""
        return bool(request.user.has_perm("knowledge.add_ingestionrun"))

    def get_form(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> type[ModelForm]:
        labels = {"supersedes": "Replaces", "entities": "About"}
        help_texts = {
            "trust": "0 to 1; it can lower the trust of its source, not raise it. Empty: as it is.",
            "access_tags": "Readers who hold one of these tags may see it; several with commas.",
            "supersedes": "The older document this one takes the place of.",
            "entities": "Accounts, people, deals and products it tells of.",
            "valid_until": "From then on it counts as outdated and stands lower. Empty: it holds.",
        }
        return super().get_form(request, obj, labels=labels, help_texts=help_texts, **kwargs)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        """Return the actions that the state of the document allows."""
        offered = super().get_actions_detail(request, object_id)
        this = self._this(request, object_id)
        is_retired = this.filter(status=DocumentStatus.RETIRED).exists()
        is_failing = this.filter(status__in=TROUBLED).exists()
        unfit = (
            "retire_this" if is_retired else "restore_this",
            "reindex_this" if is_failing else "retry_this",
        )
        return [each for each in offered if not each.action_name.endswith(unfit)]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if kwargs.get("obj"):
            page = page_number(request.GET.get("text", ""))
            context["document"] = describe_document(
                kwargs["obj"], user=request.user, text_page=page
            )
        return super().render_change_form(request, context, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Document, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        stored = Document.objects.get(pk=obj.pk)
        for name, apply in CHANGES.items():
            if name in form.changed_data:
                apply(stored, form.cleaned_data[name])
                stored.refresh_from_db()

    def has_upload_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may add documents by hand."""
        return bool(request.user.has_perm("knowledge.add_document"))

    @action(
        description="Add documents",
        url_path="upload",
        permissions=["upload"],
        icon="upload",
    )
    def add_documents(self, request: HttpRequest) -> HttpResponse:
        """Upload files, or paste a text."""
        return upload(request)

    @admin.action(description="Reindex", permissions=["reindex"])
    def reindex(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Start a run over the chosen documents."""
        self._start_run(request, queryset)

    @admin.action(description="Try again", permissions=["reindex"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Start runs over those of the chosen documents that failed."""
        retry_chosen(request, queryset)

    @admin.action(description="Edit entities and readers…", permissions=["change"])
    def edit(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse | None:
        """Change what the chosen documents are about, and who may read them."""
        return edit_chosen(self, request, queryset)

    @admin.action(description="Retire…", permissions=["change"])
    def retire(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse | None:
        """Take the chosen documents out of search, after a question."""
        question = confirm(
            self,
            request,
            queryset,
            title="Retire these documents?",
            consequence=RETIRED_MEANS,
            button="Retire",
        )
        if question is None:
            run_each(request, queryset, self._retire(request), done="Retired: {count} documents.")
        return question

    @admin.action(description="Restore", permissions=["change"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Bring the chosen documents back into search."""
        run_each(request, queryset, self._restore(request), done="Restored: {count} documents.")

    @action(
        description="Reindex",
        url_path="reindex",
        permissions=["reindex"],
        icon="sync",
        dialog={
            "title": "Reindex this document?",
            "description": REINDEXED_MEANS,
            "form_submit_text": "Reindex",
        },
    )
    def reindex_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Start a run over the document of the page."""
        self._start_run(request, self._this(request, object_id))
        return self._back(request, object_id)

    @action(
        description="Try again",
        url_path="retry",
        permissions=["reindex"],
        icon="refresh",
        dialog={
            "title": "Try this document again?",
            "description": RETRIED_MEANS,
            "form_submit_text": "Try again",
        },
    )
    def retry_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Start a run over the document of the page, which failed."""
        retries = retry_chosen(request, self._this(request, object_id))
        if retries is None:
            return self._back(request, object_id)
        (run,) = retries.runs
        return leave(request, reverse("admin:knowledge_ingestionrun_change", args=[run.pk]))

    @action(
        description="Retire",
        url_path="retire",
        permissions=["change"],
        icon="archive",
        dialog={
            "title": "Retire this document?",
            "description": RETIRED_MEANS,
            "form_submit_text": "Retire",
        },
    )
    def retire_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Take the document of the page out of search."""
        chosen = self._this(request, object_id)
        run_each(request, chosen, self._retire(request), done="The document is retired.")
        return self._back(request, object_id)

    @action(
        description="Restore",
        url_path="restore",
        permissions=["change"],
        icon="unarchive",
        dialog={
            "title": "Restore this document?",
            "description": "It is searched again from the next question on.",
            "form_submit_text": "Restore",
        },
    )
    def restore_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Bring the document of the page back into search."""
        chosen = self._this(request, object_id)
        run_each(request, chosen, self._restore(request), done="The document is restored.")
        return self._back(request, object_id)

    def _this(self, request: HttpRequest, object_id: str) -> QuerySet[Any]:
        return self.get_queryset(request).filter(pk=object_id)

    def _back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return leave(request, reverse("admin:knowledge_document_change", args=[object_id]))

    def _retire(self, request: HttpRequest) -> Callable[[Document], None]:
        def change(document: Document) -> None:
            retire_document(document=document)
            self.log_change(request, document, "Retired.")

        return change

    def _restore(self, request: HttpRequest) -> Callable[[Document], None]:
        def change(document: Document) -> None:
            restore_document(document=document)
            self.log_change(request, document, "Restored.")

        return change

    def _start_run(self, request: HttpRequest, documents: QuerySet[Document]) -> None:
        keys = list(documents.values_list("pk", flat=True))
        try:
            run_id = enqueue_reindex_documents(document_ids=keys, user_id=request.user.pk)
        except CRMindError as error:
            messages.error(request, error.message)
            return
        url = reverse("admin:knowledge_ingestionrun_change", args=[run_id])
        text = 'Reindexing started: <a href="{}" class="underline">{} documents</a>.'
        messages.success(request, format_html(text, url, len(keys)))

    @display(description="Document", ordering="title", header=True)
    def name(self, document: Document) -> tuple[str, str]:
        """Return title and identifier."""
        shown = Truncator(document.external_id).chars(80)
        return Truncator(str(document)).chars(100), shown if document.title else ""

    @display(description="State", ordering="status", label=BADGES)
    def state(self, document: Document) -> tuple[str, str]:
        """Return the status as a badge."""
        return document.status, document.get_status_display()

    @display(description="Reason")
    def reason(self, document: Document) -> str:
        """Return the beginning of the reason."""
        return Truncator(document.status_reason).chars(REASON_CHARACTERS)

    @display(description="Type")
    def type_in_force(self, document: Document) -> str:
        """Return the type of the document, else that of its source."""
        return str(document.source_type or document.source.source_type)

    @display(description="Published", ordering="published_at", empty_value="undated")
    def published(self, document: Document) -> str | None:
        """Return the day it was published."""
        moment = document.published_at
        return date_format(timezone.localtime(moment), "j M Y") if moment else None

    @display(description="Passages", ordering="chunk_count")
    def passages(self, document: Document) -> int:
        """Return how many passages it has."""
        return document.chunk_count

    @display(description="Replaced by")
    def replaced_by(self, document: Any) -> str:
        """Return its successors, for those who may only look."""
        return ", ".join(str(each) for each in document.successors[:20])

    @display(description="Address")
    def address(self, document: Document) -> str:
        """Return the address as text unless it is one a browser may open."""
        return link_to_page(document.url)

    @display(description="Language")
    def language_name(self, document: Document) -> str:
        """Return the language it is searched in."""
        return document.language.capitalize()

    @display(description="Further facts")
    def further_facts(self, document: Document) -> SafeString:
        """Return what else the source says of it, one fact a line."""
        facts = (
            (FACT_NAMES.get(key, key), Truncator(str(value)).chars(300))
            for key, value in document.metadata.items()
        )
        return format_html_join("", "<div><em>{}</em>: {}</div>", facts)
