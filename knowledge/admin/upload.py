"""The page "Add documents": files to upload, or a text to paste, into a chosen source."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, time
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile as DjangoFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from crmind.exceptions import CRMindError
from knowledge.conf import knowledge_settings
from knowledge.models import Source
from knowledge.models.fields import ACCESS_TAG
from knowledge.services.uploads import (
    MAX_FILES,
    UPLOADABLE,
    UploadedFile,
    UploadOptions,
    pasted_file,
)
from knowledge.tasks import enqueue_upload

LONGEST_PASTE = 1_000_000


class FilesWidget(forms.ClearableFileInput):
    """Chooses several files at once."""

    allow_multiple_selected = True
    template_name = "django/forms/widgets/file.html"


class FilesField(forms.FileField):
    """Several files, none of them required."""

    widget = FilesWidget

    def clean(self, data: Any, initial: Any = None) -> list[DjangoFile]:
        files = data if isinstance(data, list | tuple) else [data]
        return [each for each in files if each]


class TagsField(forms.CharField):
    """Access tags with commas between them."""

    widget = UnfoldAdminTextInputWidget

    def clean(self, value: Any) -> tuple[str, ...]:
        written = super().clean(value)
        tags = tuple(tag.strip() for tag in written.split(",") if tag.strip())
        for tag in tags:
            try:
                ACCESS_TAG(tag)
            except forms.ValidationError as error:
                message = f"“{tag}”: {' '.join(error.messages)}"
                raise forms.ValidationError(message) from error
        return tags


class UploadForm(forms.Form):
    """What to add, and to which source."""

    source = forms.ModelChoiceField(
        Source.objects.filter(connector__in=UPLOADABLE).order_by("name", "pk"),
        empty_label=None,
        widget=UnfoldAdminSelectWidget,
        help_text="Its trust, readers and kind hold for what you add.",
    )
    files = FilesField(required=False, label="Files")  # type: ignore[assignment] # a field, not Form.files
    title = forms.CharField(
        required=False,
        max_length=300,
        widget=UnfoldAdminTextInputWidget,
        help_text="Names the text below; a text of the same title in this source is replaced.",
    )
    text = forms.CharField(
        required=False,
        strip=False,
        max_length=LONGEST_PASTE,
        label="Or paste a text",
        widget=UnfoldAdminTextareaWidget({"rows": 10}),
    )
    published = forms.DateField(
        required=False,
        label="Published",
        widget=forms.DateInput({"type": "date", "class": " ".join(INPUT_CLASSES)}),
        help_text="The day of the pasted text: it tells how fresh it is. Empty: undated.",
    )
    access_tags = TagsField(
        required=False,
        label="Readers",
        help_text="Access tags with commas between them. Empty: the readers of the source.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        largest = knowledge_settings().max_file_bytes // 1024**2
        self.fields["files"].widget.attrs |= {
            "data-largest": knowledge_settings().max_file_bytes,
            "data-most": MAX_FILES,
            "class": " ".join(INPUT_CLASSES),
        }
        self.fields["files"].help_text = (
            f"Up to {MAX_FILES} files of {largest} MB each: PDF, Word, Excel, PowerPoint,"
            " OpenDocument, web pages, mails, Markdown, plain text, CSV, JSON. A file of the same"
            " name in this source is replaced."
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        text = cleaned.get("text", "").strip()
        if not text and not cleaned.get("files"):
            self.add_error("files", "Choose at least one file, or paste a text below.")
        if text and not cleaned.get("title"):
            self.add_error("title", "Give the text a title: it is listed and cited by it.")
        return cleaned

    def to_keep(self) -> Sequence[UploadedFile]:
        """Return the files and the pasted text."""
        return [*map(_as_uploaded, self.cleaned_data["files"]), *self._pasted()]

    def options(self) -> UploadOptions:
        """Return what holds for all of them."""
        return UploadOptions(access_tags=self.cleaned_data["access_tags"])

    def refuse(self, error: CRMindError) -> None:
        """Show a refusal at the field it concerns."""
        self.add_error(error.field if error.field in self.fields else None, error.message)

    def _pasted(self) -> Iterator[UploadedFile]:
        values = self.cleaned_data
        if values["text"].strip():
            day = values["published"]
            moment = datetime.combine(day, time(), tzinfo=UTC) if day else None
            yield pasted_file(title=values["title"], text=values["text"], published_at=moment)


def upload(request: HttpRequest) -> HttpResponse:
    """Show the form, or keep what was sent and go to the run that reads it."""
    if not request.user.has_perm("knowledge.add_document"):
        raise PermissionDenied
    form = UploadForm(
        request.POST if request.method == "POST" else None,
        request.FILES if request.method == "POST" else None,
        initial=request.GET.dict(),
    )
    if request.method == "POST" and form.is_valid():
        try:
            run_id = enqueue_upload(
                source=form.cleaned_data["source"],
                files=form.to_keep(),
                options=form.options(),
                user_id=request.user.pk,
            )
        except CRMindError as error:
            form.refuse(error)
        else:
            messages.success(request, "Received. Below is how far it is.")
            return HttpResponseRedirect(
                reverse("admin:knowledge_ingestionrun_change", args=[run_id])
            )
    context = {
        **admin.site.each_context(request),
        "title": "Add documents",
        "form": form,
        "has_sources": Source.objects.filter(connector__in=UPLOADABLE).exists(),
        "add_source": f"{reverse('admin:knowledge_source_add')}?connector=upload",
    }
    return TemplateResponse(request, "admin/knowledge/document/upload.html", context)


def _as_uploaded(file: DjangoFile) -> UploadedFile:
    beginning = file.read(4_096)
    file.seek(0)
    pieces: Any = partial(_pieces, file)
    return UploadedFile(
        name=str(file.name), size=int(file.size or 0), beginning=beginning, pieces=pieces
    )


def _pieces(file: DjangoFile) -> Iterable[bytes]:
    file.seek(0)
    return file.chunks()
