"""The form of a document: what a curator decides about it."""

from typing import Any

from django import forms

from knowledge.admin.related import choose_related
from knowledge.models import Document

RELATIONS = {"entities": "entities", "supersedes": "supersedes", "replaced_by": "supersedes"}


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
        # Those who may only look have none of the fields.
        for name, relation in RELATIONS.items():
            if name in self.fields:
                choose_related(self.fields[name], relation)
        if "replaced_by" in self.fields and self.instance.pk:
            successor = self.instance.superseded_by.order_by("pk").first()
            self.fields["replaced_by"].initial = successor

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
