import pytest
from django import forms

from knowledge.admin.schedule_field import ScheduleField, describe_schedule


class Form(forms.Form):
    schedule = ScheduleField()


def submitted(every, weekday="1", at="", cron=""):
    names = ("every", "weekday", "at", "cron")
    values = (every, weekday, at, cron)
    return {f"schedule_{name}": value for name, value in zip(names, values, strict=True)}


@pytest.mark.parametrize(
    ("written", "expression", "words"),
    [
        (submitted(""), "", "Only by hand"),
        (submitted("hourly"), "0 * * * *", "Every hour"),
        (submitted("daily", at="06:30"), "30 6 * * *", "Every day at 06:30"),
        (submitted("weekly", "0", "23:05"), "5 23 * * 0", "Every Sunday at 23:05"),
        (
            submitted("cron", cron=" 0  7 1 * * "),
            "0 7 1 * *",
            "By the cron expression 0 7 1 * *",
        ),
    ],
)
def test_schedule_field__plain_choices_and_back(written, expression, words):
    form = Form(written)
    assert form.is_valid(), form.errors
    assert form.cleaned_data["schedule"] == expression
    assert describe_schedule(expression) == words

    shown = str(Form(initial={"schedule": expression})["schedule"])
    assert f'value="{written["schedule_every"]}" selected' in shown
    assert not Form(written, initial={"schedule": expression}).changed_data
    assert Form(written, initial={"schedule": "1 1 1 1 *"}).changed_data


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (submitted("daily"), "at what time"),
        (submitted("weekly", at="25:00"), "valid time"),
        (submitted("cron", cron="0 7 30 2 *"), "never due"),
        (submitted("cron", cron="<script>"), "1 parts"),
    ],
)
def test_schedule_field__says_what_is_wrong(written, message):
    form = Form(written, initial={"schedule": ""})

    assert message in str(form.errors["schedule"].as_data())
    assert form.changed_data


def test_schedule_field__shows_an_expression_escaped():
    shown = str(Form(initial={"schedule": '"><script>'})["schedule"])

    assert "<script>" not in shown


def test_describe_schedule__of_what_no_schedule_is():
    assert describe_schedule("² ² * * ²") == "By the cron expression ² ² * * ²"
