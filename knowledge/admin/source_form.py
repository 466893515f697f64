"""The form of a source."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from knowledge.models import Source

LANGUAGES = (
    "simple",
    "arabic",
    "armenian",
    "basque",
    "catalan",
    "danish",
    "dutch",
    "english",
    "estonian",
    "finnish",
    "french",
    "german",
    "greek",
    "hindi",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "lithuanian",
    "nepali",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "serbian",
    "spanish",
    "swedish",
    "tamil",
    "turkish",
    "yiddish",
)


class MappingField(forms.CharField):
    """Which column of an export fills which field, as lines `field = column`."""

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return "\n".join(f"{field} = {column}" for field, column in value.items())
        return value

    def to_python(self, value: Any) -> Any:
        lines = [line for line in (value or "").splitlines() if line.strip()]
        return dict(self._pair(line) for line in lines)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.to_python(data) != (initial or {}))
        except forms.ValidationError:
            return True

    def _pair(self, line: str) -> tuple[str, str]:
        field, equals, column = (part.strip() for part in line.partition("="))
        if not (field and equals and column):
            message = f"Write “{line}” as: field = column, for example title = Headline."
            raise forms.ValidationError(message)
        return field, column


class SourceForm(forms.ModelForm):
    """A source, with its mapping as lines and its language as a choice."""

    mapping = MappingField(
        required=False,
        label="Columns",
        widget=UnfoldAdminTextareaWidget({"rows": 4}),
        help_text=(
            "Only for CSV and JSON lines exports. One line per field: field = column, for example"
            " title = Headline. Lines with several columns: text = Summary, Notes."
        ),
    )
    language = forms.ChoiceField(
        choices=[(name, name.capitalize()) for name in LANGUAGES],
        initial="english",
        widget=UnfoldAdminSelectWidget,
        help_text="The language its documents are written in; “Simple” does not reduce words.",
    )

    class Meta:
        model = Source
        fields = "__all__"  # noqa: DJ007 # the admin's fieldsets choose
        labels = {"authority_override": "Authority of its own"}
        help_texts = {
            "trust": "0 (never believe) to 1 (always believe).",
            "authority_override": "0 to 1. Empty: the authority of its type.",
            "access_tags": (
                "Readers who hold one of these tags may see it; several with commas between."
                " “everyone” means all readers."
            ),
            "enabled": "Documents of a source that is switched off are not searched.",
            "review_by": "The day on which somebody should ask whether it is still to be trusted.",
            "owner": "Who answers for it.",
        }
