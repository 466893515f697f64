"""What a person looks for among the changes."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from unfold.widgets import INPUT_CLASSES, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from crmind.history.listing import LOGGED, Place, Wanted


def _day(label: str) -> forms.DateField:
    attributes = {"type": "date", "class": " ".join(INPUT_CLASSES)}
    return forms.DateField(required=False, label=label, widget=forms.DateInput(attributes))


class ChangesForm(forms.Form):
    """Words, kind, author and days; everything is in the address, so a link reproduces the page."""

    q = forms.CharField(
        required=False,
        label="Words",
        max_length=200,
        widget=UnfoldAdminTextInputWidget({"placeholder": "Name, or an old or new value"}),
    )
    kind = forms.ChoiceField(required=False, label="Kind", widget=UnfoldAdminSelectWidget)
    by = forms.CharField(
        required=False, label="Changed by", max_length=200, widget=UnfoldAdminTextInputWidget
    )
    since = _day("From")
    until = _day("Until")

    def __init__(self, *args: Any, kinds: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", "Every kind"), *kinds, (LOGGED, "Anything else")]
        self.fields["kind"].choices = choices  # type: ignore[attr-defined] # it is a ChoiceField

    def wanted(self, *, after: Place | None) -> Wanted:
        """Return what the form asks for; fields that are wrong do not limit."""
        values = getattr(self, "cleaned_data", {})
        return Wanted(
            words=_without_nul(values.get("q")),
            kind=values.get("kind") or "",
            by=_without_nul(values.get("by")),
            since=_beginning(values.get("since")),
            until=_beginning(values.get("until"), days=1),
            after=after,
        )


def _without_nul(text: str | None) -> str:
    return (text or "").replace("\0", "")


def _beginning(day: date | None, *, days: int = 0) -> datetime | None:
    if day is None:
        return None
    try:
        return timezone.make_aware(datetime.combine(day + timedelta(days=days), time.min))
    except OverflowError:
        return None
