"""Entities and readers of many documents at once."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from knowledge.admin.curation import MOST_AT_ONCE, CurationAdmin, run_each
from knowledge.admin.related import choose_related
from knowledge.admin.upload_form import TagsField
from knowledge.models import Document, Entity
from knowledge.services.decisions import edit_document


class BulkForm(forms.Form):
    """What to change; what is left empty stays as it is on each document."""

    added = forms.ModelMultipleChoiceField(
        Entity.objects.all(), required=False, label="Are also about"
    )
    removed = forms.ModelMultipleChoiceField(
        Entity.objects.all(), required=False, label="Are no longer about"
    )
    access_tags = TagsField(
        required=False,
        label="May be read by",
        help_text="Access tags with commas between them; they take the place of those there are.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("added", "removed"):
            choose_related(self.fields[name], "entities")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not any(cleaned.values()):
            message = "Say what to change: an entity to add or take away, or readers."
            raise forms.ValidationError(message)
        both = set(cleaned.get("added", ())) & set(cleaned.get("removed", ()))
        if both:
            names = ", ".join(sorted(entity.name for entity in both))
            self.add_error("removed", f"To be added and taken away at once: {names}.")
        return cleaned


def edit_chosen(
    page: CurationAdmin, request: HttpRequest, documents: QuerySet[Document]
) -> HttpResponse | None:
    """Ask what to change on the chosen documents; change it and return None once that is known."""
    count = documents.count()
    form = BulkForm(request.POST if request.POST.get("confirmed") == "yes" else None)
    if count > MOST_AT_ONCE:
        form.is_bound = False
    elif form.is_valid():
        _apply(page, request, documents, form.cleaned_data)
        return None
    context = {
        **admin.site.each_context(request),
        "title": "Edit entities and readers",
        "opts": page.opts,
        "form": form,
        "media": page.media + form.media,
        "chosen": documents[:20],
        "chosen_count": count,
        "most": MOST_AT_ONCE,
        "is_too_many": count > MOST_AT_ONCE,
        "keys": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "action": request.POST.get("action", ""),
        "select_across": request.POST.get("select_across", "0"),
    }
    return TemplateResponse(request, "admin/knowledge/document/bulk.html", context)


def _apply(
    page: CurationAdmin,
    request: HttpRequest,
    documents: QuerySet[Document],
    values: dict[str, Any],
) -> None:
    def change(document: Document) -> None:
        edit_document(
            document=document,
            added=values["added"],
            removed=values["removed"],
            access_tags=values["access_tags"],
        )
        page.log_change(request, document, "Entities or readers were edited with others.")

    rows = documents.prefetch_related("entities")
    run_each(request, rows, change, done="Edited: {count} documents.")
