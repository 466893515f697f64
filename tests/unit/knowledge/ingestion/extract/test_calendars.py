from zoneinfo import ZoneInfo

import pytest

from knowledge.ingestion.extract.calendars import read_calendar
from knowledge.ingestion.extract.recurrence import describe_rule
from tests.unit.knowledge.ingestion.extract.documents import read

BERLIN = ZoneInfo("Europe/Berlin")


def calendar(*lines):
    return "\r\n".join(("BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", ""))


def event(*lines):
    return ("BEGIN:VEVENT", *lines, "END:VEVENT")


def when(*lines):
    text = read_calendar(calendar(*event("SUMMARY:x", *lines)), BERLIN).text
    return text.partition("When: ")[2]


def test_read_calendar__an_event_as_a_person_would_note_it():
    reading = read_calendar(
        calendar(
            *event(
                "DTSTAMP:20300501T080000Z",
                "DTSTART:20300517T080000Z",
                "DTEND:20300517T093000Z",
                "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;COUNT=6",
                "SUMMARY;LANGUAGE=de:Review\\, Nordwind",
                "LOCATION:Hamburg\\; Room 2",
                'ORGANIZER;CN="Brandt: Ana":mailto:ana@x.example',
                "ATTENDEE;ROLE=CHAIR;CN=Bo Lund:MAILTO:bo@x.example",
                "ATTENDEE:mailto:cy@x.example",
                "DESCRIPTION:Agenda:\\n1. Prices of pal",
                " let jacks",
                "BEGIN:VALARM",
                "DESCRIPTION:Reminder",
                "END:VALARM",
            )
        ),
        BERLIN,
    )

    assert reading.text == (
        "## Review, Nordwind\n\n"
        "When: Friday 17 May 2030 (2030-05-17), 10:00 to 11:30 (Europe/Berlin)\n"
        "Repeats: every 2 weeks on Friday 6 times\n"
        "Where: Hamburg; Room 2\n"
        "Organizer: Brandt: Ana <ana@x.example>\n"
        "Participants: Bo Lund <bo@x.example>, cy@x.example\n\n"
        "Agenda:\n1. Prices of pallet jacks"
    )
    assert reading.metadata == {
        "title": "Review, Nordwind",
        "author": "Brandt: Ana <ana@x.example>",
        "published_at": "2030-05-01T10:00:00+02:00",
        "language": "de",
    }


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        # In New York it is still summer time in this week, in Berlin no more.
        (
            ["DTSTART;TZID=America/New_York:20301029T090000"],
            "Tuesday 29 October 2030 (2030-10-29), 14:00 (Europe/Berlin)",
        ),
        (
            ["DTSTART:20300517T220000Z", "DURATION:PT3H"],
            "Saturday 18 May 2030 (2030-05-18), 00:00 to 03:00 (Europe/Berlin)",
        ),
        (
            ["DTSTART;TZID=W. Europe Standard Time:20300517T090000"],
            "Friday 17 May 2030 (2030-05-17), 09:00 (W. Europe Standard Time)",
        ),
        (["DTSTART:20300517T090000"], "Friday 17 May 2030 (2030-05-17), 09:00 (local time)"),
        (
            ["DTSTART;VALUE=DATE:20300517", "DTEND;VALUE=DATE:20300518"],
            "Friday 17 May 2030 (2030-05-17), all day",
        ),
        (
            ["DTSTART;VALUE=DATE:20300517", "DTEND;VALUE=DATE:20300520"],
            "Friday 17 May 2030 (2030-05-17) to Sunday 19 May 2030 (2030-05-19)",
        ),
        (["DTSTART:20301345T990000Z"], ""),
        (["DTSTART:20300517T080000Z", "DTEND;VALUE=DATE:20300518"], "Friday 17 May 2030"),
        (["DTSTART;VALUE=DATE:20300517", "DTEND:20300518T080000Z"], "Friday 17 May 2030"),
    ],
)
def test_read_calendar__times(lines, told):
    assert when(*lines).startswith(told)
    assert bool(told) == bool(when(*lines))


def test_read_calendar__several_entries_of_a_named_calendar():
    task = ("BEGIN:VTODO", "SUMMARY:Send offer", "DUE;VALUE=DATE:20300601", "END:VTODO")

    reading = read_calendar(
        calendar("X-WR-CALNAME:Sales", *event("SUMMARY:Kick-off"), *task), BERLIN
    )

    assert reading.text == (
        "# Sales\n\n## Kick-off\n\n\n## Send offer\n\nDue: Saturday 1 June 2030 (2030-06-01)"
    )
    assert reading.metadata == {"title": "Sales"}


def test_read_calendar__of_the_service(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    written = calendar(*event("SUMMARY:Call", "DTSTART:20300517T200000Z"))

    extraction = read("a.ics", written)

    assert "Saturday 18 May 2030 (2030-05-18), 05:00 (Asia/Tokyo)" in extraction.text
    assert (extraction.mime_type, extraction.metadata["title"]) == ("text/calendar", "Call")


def test_read_calendar__without_entries():
    assert read_calendar("SUMMARY:Review\\, part\n  two\\nagenda").text == (
        "SUMMARY:Review, part two\nagenda"
    )


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=DAILY;UNTIL=20301231T225959Z", "every day until 2030-12-31"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"),
        ("FREQ=WEEKLY;BYDAY=MO,WE", "every week on Monday, Wednesday"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on day 1, 15 of the month"),
        ("FREQ=SECONDLY", "FREQ=SECONDLY"),
    ],
)
def test_describe_rule(rule, words):
    assert describe_rule(rule) == words
