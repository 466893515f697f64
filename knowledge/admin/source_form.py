"""The form of a source."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.contrib.filters.admin import DropdownFilter
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from crmind.exceptions import InvalidInputError
from knowledge.admin.schedule_field import ScheduleField
from knowledge.exceptions import MappingError
from knowledge.ingestion.row_mapping import MAPPABLE_FIELDS, parse_mapping
from knowledge.models import Source
from knowledge.services.locations import checked_location

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


STATE_FIELDS = (
    "state_in_words",
    "health_reason",
    "last_run",
    "checked_when",
    "next_check",
    "runs",
    "documents_link",
    "passages",
    "stock_age",
)
# A schedule is of use only where there is something to read.
READ_CONNECTORS = (
    "typeof connector === 'undefined' || (connector !== 'push' && connector !== 'upload')"
)
FIELDSETS = (
    (
        None,
        {"fields": ("name", "source_type", "connector", "location", "mapping", "refresh_schedule")},
    ),
    (
        "Trust and authority",
        {
            "fields": ("trust", "authority_override", "standing"),
            "description": (
                "<strong>Trust</strong> is how far you believe what this source says: 1 is a"
                " signed contract, 0.7 an ordinary report, 0.2 a rumour. Two passages that"
                " answer equally well are ordered by it.<br><strong>Authority</strong> is the"
                " standing of this kind of source, taken from its type unless you give it"
                " one of its own. A change counts from the next question on; answers in the"
                " cache that cite the source are withdrawn."
            ),
        },
    ),
    ("Who may read it", {"fields": ("access_tags",)}),
    ("Upkeep", {"fields": ("owner", "review_by", "is_paused", "language")}),
    ("State", {"fields": STATE_FIELDS}),
)


class ReviewFilter(DropdownFilter):
    """Sources whose review-by date has passed."""

    title = "review"
    parameter_name = "review"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the one choice."""
        return [("due", "Due")]

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[Any]:
        """Limit to the sources that are due."""
        is_chosen = self.value() == "due"
        return queryset.overdue(today=timezone.localdate()) if is_chosen else queryset


class MappingField(forms.CharField):
    """Which column of an export fills which field, as lines `field = column`."""

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return "\n".join(f"{field} = {column}" for field, column in value.items())
        return value

    def to_python(self, value: Any) -> Any:
        lines = [line.strip() for line in (value or "").splitlines() if line.strip()]
        for line in lines:
            if not all(map(str.strip, line.partition("="))):
                message = f"Write “{line}” as: field = column, for example title = Headline."
                raise forms.ValidationError(message)
        try:
            return parse_mapping(lines)
        except MappingError as error:
            message = f"{error.message.removeprefix('map: ')}."
            raise forms.ValidationError(message) from error

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.to_python(data) != (initial or {}))
        except forms.ValidationError:
            return True


class SourceForm(forms.ModelForm):
    """A source, with its mapping as lines and its language as a choice."""

    mapping = MappingField(
        required=False,
        label="Columns",
        widget=UnfoldAdminTextareaWidget({"rows": 4}),
        help_text=(
            "Only for CSV and JSON lines exports. One line per field: field = column, for example"
            " title = Headline; several columns of text: text = Summary + Notes. Columns of other"
            f" fields are guessed. The fields are {', '.join(MAPPABLE_FIELDS)}."
        ),
    )
    refresh_schedule = ScheduleField(
        label="Check",
        help_text=(
            "When it is read again, in the time zone of the installation. What is new or changed is"
            " taken in, what is gone is taken out of search."
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
        help_texts = {
            "trust": "0 (never believe) to 1 (always believe).",
            "authority_override": "0 to 1. Empty: the authority of its type.",
            "access_tags": (
                "Readers who hold one of these tags may see it; several with commas between."
                " “everyone” means all readers."
            ),
            "is_paused": "Its schedule rests; what is indexed keeps answering.",
            "review_by": "The day on which somebody should ask whether it is still to be trusted.",
            "owner": "Who answers for it.",
        }

    def clean(self) -> Any:
        """Refuse a name that is taken, and a place that the service may not be sent to read."""
        super().clean()
        cleaned = self.cleaned_data
        others = Source.objects.filter(name__iexact=cleaned.get("name", "")).exclude(
            pk=self.instance.pk
        )
        if "name" in self.changed_data and others.exists():
            self.add_error("name", "There is a source of this name already. Choose another.")
        if {"location", "connector"}.intersection(self.changed_data) and cleaned.get("connector"):
            try:
                cleaned["location"] = checked_location(
                    connector=cleaned["connector"], location=cleaned.get("location", "")
                )
            except InvalidInputError as error:
                self.add_error("location", error.message.removeprefix("location: "))
        return cleaned
