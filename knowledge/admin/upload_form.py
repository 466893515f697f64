"""The forms of "Add documents": what to add, and a first source to add it to."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time
from functools import partial
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile as DjangoFile
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from crmind.exceptions import CRMindError
from knowledge.admin.related import choose_related
from knowledge.conf import knowledge_settings
from knowledge.models import Entity, Source, SourceType
from knowledge.models.fields import ACCESS_TAG
from knowledge.services.uploads import (
    MAX_FILES,
    UPLOADABLE,
    UploadedFile,
    UploadOptions,
    pasted_file,
)

LONGEST_PASTE = 1_000_000
FIRST_SOURCE = "Added by hand"


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
        help_text=(
            "Its trust, readers and kind hold for what you add. Only sources filled by hand or by a"
            " program are listed: what you add to a folder or a web address would go with its next"
            " check."
        ),
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
        help_text=(
            "The day that tells how fresh it is, for the text and for files that tell none"
            " themselves. Empty: undated."
        ),
    )
    valid_until = forms.DateField(
        required=False,
        label="Valid until",
        widget=forms.DateInput({"type": "date", "class": " ".join(INPUT_CLASSES)}),
        help_text="The last day on which it holds; from then on it stands lower. Empty: it holds.",
    )
    entities = forms.ModelMultipleChoiceField(
        Entity.objects.all(),
        required=False,
        label="About",
        help_text="Accounts, people, deals and products. Empty: those that the text names.",
    )
    access_tags = TagsField(
        required=False,
        label="Readers",
        help_text="Access tags with commas between them. Empty: the readers of the source.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choose_related(self.fields["entities"], "entities")
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
        values = self.cleaned_data
        return UploadOptions(
            entities=tuple(str(entity.pk) for entity in values["entities"]),
            access_tags=values["access_tags"],
            published_at=_moment(values["published"], time.min),
            valid_until=_moment(values["valid_until"], time.max),
        )

    def refuse(self, error: CRMindError) -> None:
        """Show a refusal at the field it concerns."""
        self.add_error(error.field if error.field in self.fields else None, error.message)

    def _pasted(self) -> Iterator[UploadedFile]:
        values = self.cleaned_data
        if values["text"].strip():
            yield pasted_file(title=values["title"], text=values["text"])


class FirstSourceForm(forms.Form):
    """A source for what curators add, where there is none yet."""

    name = forms.CharField(
        max_length=200, initial=FIRST_SOURCE, widget=UnfoldAdminTextInputWidget, label="Source"
    )
    source_type = forms.ModelChoiceField(
        SourceType.objects.order_by("label", "pk"),
        to_field_name="slug",
        label="Kind",
        widget=UnfoldAdminSelectWidget,
        help_text="How it stands among the others; “Sources” has its trust and readers.",
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if Source.objects.filter(name__iexact=name).exists():
            message = "There is a source of this name already. Give another one."
            raise forms.ValidationError(message)
        return name

    def refuse(self, error: CRMindError) -> None:
        """Show a refusal at the field it concerns."""
        self.add_error(error.field if error.field in self.fields else None, error.message)


def _moment(day: date | None, at: time) -> datetime | None:
    return datetime.combine(day, at, tzinfo=UTC) if day else None


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
