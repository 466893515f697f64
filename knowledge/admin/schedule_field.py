"""The form field of a schedule: plain choices for what most want, cron for the rest."""

from collections.abc import Mapping
from datetime import time
from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminSingleTimeWidget,
    UnfoldAdminTextInputWidget,
)

from knowledge.cron import WEEKDAYS, CronError, read_cron

BY_HAND, HOURLY, DAILY, WEEKLY, ADVANCED = "", "hourly", "daily", "weekly", "cron"
CHOICES = (
    (BY_HAND, "Only by hand"),
    (HOURLY, "Every hour"),
    (DAILY, "Every day at"),
    (WEEKLY, "Every week on"),
    (ADVANCED, "As a cron expression"),
)
WEEKDAY_CHOICES = (
    ("1", "Monday"),
    ("2", "Tuesday"),
    ("3", "Wednesday"),
    ("4", "Thursday"),
    ("5", "Friday"),
    ("6", "Saturday"),
    ("0", "Sunday"),
)
SUFFIXES = ("_every", "_weekday", "_at", "_cron")
EARLY = time(6)
FIELD_COUNT = 5
LONGEST_NUMBER = 2

Parts = list[Any]


def describe_schedule(expression: str) -> str:
    """Return a schedule in words."""
    frequency, weekday, at, cron = split_schedule(expression)
    if frequency == BY_HAND:
        return "Only by hand"
    if frequency == HOURLY:
        return "Every hour"
    if frequency == DAILY:
        return f"Every day at {at:%H:%M}"
    if frequency == WEEKLY:
        return f"Every {dict(WEEKDAY_CHOICES)[weekday]} at {at:%H:%M}"
    return f"By the cron expression {cron}"


def split_schedule(expression: str) -> Parts:
    """Return frequency, weekday, time and expression of a schedule."""
    parts = expression.split()
    if not parts:
        return [BY_HAND, "1", EARLY, ""]
    if len(parts) == FIELD_COUNT and parts[2:4] == ["*", "*"] and _is_number(parts[0]):
        minute, hour, _, _, weekday = parts
        if (hour, weekday) == ("*", "*") and minute == "0":
            return [HOURLY, "1", EARLY, ""]
        if _is_number(hour) and weekday == "*":
            return [DAILY, "1", time(int(hour) % 24, int(minute) % 60), ""]
        day = _weekday(weekday)
        if _is_number(hour) and day:
            return [WEEKLY, day, time(int(hour) % 24, int(minute) % 60), ""]
    return [ADVANCED, "1", EARLY, expression]


def _is_number(written: str) -> bool:
    return written.isascii() and written.isdigit() and len(written) <= LONGEST_NUMBER


def _weekday(written: str) -> str:
    if written.lower() in WEEKDAYS:
        return str(WEEKDAYS.index(written.lower()))
    return str(int(written) % 7) if _is_number(written) else ""


class ScheduleWidget(forms.MultiWidget):
    """Shows only the parts that the chosen frequency needs."""

    def __init__(self) -> None:
        super().__init__(
            {
                "every": UnfoldAdminSelectWidget(
                    {"x-model": "every", "aria-label": "How often"}, choices=CHOICES
                ),
                "weekday": UnfoldAdminSelectWidget(
                    {"aria-label": "Day of the week"}, choices=WEEKDAY_CHOICES
                ),
                "at": UnfoldAdminSingleTimeWidget({"aria-label": "Time of day"}, format="%H:%M"),
                "cron": UnfoldAdminTextInputWidget(
                    {"placeholder": "30 6 * * mon-fri", "aria-label": "Cron expression"}
                ),
            }
        )

    def decompress(self, value: Any) -> Parts:
        return split_schedule(value or "")

    def render(
        self, name: str, value: Any, attrs: Mapping[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        parts = value if isinstance(value, list) else self.decompress(value)
        every, weekday, at, cron = (
            widget.render(f"{name}{suffix}", part, {"id": f"id_{name}{suffix}"}, renderer)
            for widget, suffix, part in zip(self.widgets, SUFFIXES, parts, strict=True)
        )
        return format_html(
            '<div class="crmind-schedule" x-data="{{every: \'{}\'}}">{}'
            "<span x-show=\"every === 'weekly'\">{}</span>"
            "<span x-show=\"every === 'daily' || every === 'weekly'\">{}</span>"
            "<span x-show=\"every === 'cron'\">{}</span></div>",
            parts[0] if parts[0] in dict(CHOICES) else "",
            every,
            weekday,
            at,
            cron,
        )


class ScheduleField(forms.MultiValueField):
    """Gives the cron expression of what was chosen, empty for never."""

    def __init__(self, **options: Any) -> None:
        fields = (
            forms.ChoiceField(choices=CHOICES, required=False),
            forms.ChoiceField(choices=WEEKDAY_CHOICES, required=False),
            forms.TimeField(required=False),
            forms.CharField(required=False, max_length=100),
        )
        super().__init__(
            fields, widget=ScheduleWidget(), required=False, require_all_fields=False, **options
        )

    def compress(self, data_list: Parts) -> str:
        every, weekday, at, cron = data_list or [BY_HAND, "", None, ""]
        if every == HOURLY:
            return "0 * * * *"
        if every in {DAILY, WEEKLY} and at is None:
            message = "Say at what time, such as 06:30."
            raise forms.ValidationError(message)
        if every == DAILY:
            return f"{at.minute} {at.hour} * * *"
        if every == WEEKLY:
            return f"{at.minute} {at.hour} * * {weekday or '1'}"
        return self._checked(cron) if every == ADVANCED else ""

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.clean(data) != (initial or ""))
        except forms.ValidationError:
            return True

    def _checked(self, expression: str) -> str:
        try:
            read_cron(expression)
        except CronError as error:
            message = f"{error}."
            raise forms.ValidationError(message) from error
        return " ".join(expression.split())
