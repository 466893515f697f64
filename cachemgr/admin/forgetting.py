"""The page "Forget all that cite…": every answer that stands on one document or source."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from cachemgr.models import CachedCitation, CachedResponse
from cachemgr.services import forget_citing
from knowledge.admin.readers import only_readable
from knowledge.admin.related import choose_related
from knowledge.models import Document, Source

PERMISSION = "cachemgr.delete_cachedresponse"


class CitingForm(forms.Form):
    """What is cited: a document or a whole source."""

    document = forms.ModelChoiceField(Document.objects.all(), required=False)
    source = forms.ModelChoiceField(
        Source.objects.all(), required=False, label="Or every document of the source"
    )

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, relation in (("document", "supersedes"), ("source", "source")):
            choose_related(self.fields[name], relation)
        documents: Any = self.fields["document"]
        documents.queryset = only_readable(Document.objects.all(), user)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        chosen = [name for name in ("document", "source") if cleaned.get(name)]
        if not chosen and not self.errors:
            self.add_error("document", "Choose a document, or a source below.")
        if len(chosen) > 1:
            self.add_error("source", "Choose either a document or a source.")
        return cleaned

    @property
    def cited(self) -> dict[str, int]:
        """What is cited, as the service takes it."""
        values = self.cleaned_data
        given = {"document_id": values["document"], "source_id": values["source"]}
        return {name: row.pk for name, row in given.items() if row is not None}


def _log(request: HttpRequest, form: CitingForm, forgotten: int) -> None:
    """Note who forgot how many answers; no single answer is the one it was done to."""
    user: Any = request.user
    row = form.cleaned_data["document"] or form.cleaned_data["source"]
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(CachedResponse),
        object_repr=f"Answers that cite {row}"[:200],
        action_flag=CHANGE,
        change_message=f"Forgotten: {forgotten}.",
    )


def forget_all_that_cite(request: HttpRequest) -> HttpResponse:
    """Ask what is cited, say how many answers that are, forget them once confirmed."""
    if not request.user.has_perm(PERMISSION):
        raise PermissionDenied
    given = request.POST if request.method == "POST" else request.GET
    form = CitingForm(given or None, user=request.user)
    count = None
    if form.is_valid():
        if request.method == "POST":
            forgotten = forget_citing(now=timezone.now(), **form.cited)
            _log(request, form, forgotten)
            messages.success(request, f"Forgotten: {forgotten}.")
            return HttpResponseRedirect(reverse("admin:cachemgr_cachedresponse_changelist"))
        citations = CachedCitation.objects.filter(**form.cited)
        count = CachedResponse.objects.live().citing(citations).count()
    context = {
        **admin.site.each_context(request),
        "title": "Forget all that cite…",
        "form": form,
        "count": count,
    }
    return TemplateResponse(request, "admin/cachemgr/cachedresponse/forget.html", context)
