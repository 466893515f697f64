"""The form of a document: what a curator decides about it."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect

from knowledge.models import Document


class DocumentForm(forms.ModelForm):
    """Adds "Replaced by", which another document keeps."""

    replaced_by = forms.ModelChoiceField(
        Document.objects.all(),
        required=False,
        label="Replaced by",
        help_text=(
            "The newer document that takes its place: this one then stands behind it, and holds"
            " until the newer one begins."
        ),
    )

    class Meta:
        model = Document
        fields = ("trust", "access_tags", "entities", "valid_until", "supersedes")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields.get("replaced_by")
        if field is not None and self.instance.pk:
            field.initial = self.instance.superseded_by.order_by("pk").first()
            # The choices are those of "Replaces": what this person may read.
            field.widget = AutocompleteSelect(
                Document._meta.get_field("supersedes"),  # noqa: SLF001 # Django's public interface
                admin.site,
                attrs={"class": "unfold-admin-autocomplete"},
            )
            field.widget.choices = field.choices

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        older, newer = cleaned.get("supersedes"), cleaned.get("replaced_by")
        if older and newer and older.pk == newer.pk:
            message = "A document cannot both replace another and be replaced by it."
            self.add_error("replaced_by", message)
        for name, other in (("supersedes", older), ("replaced_by", newer)):
            if other is not None and other.pk == self.instance.pk:
                self.add_error(name, "A document cannot replace itself.")
        return cleaned

    def _save_m2m(self) -> None:
        """Leave the entities to the service that the page calls."""
