"""Days and instants."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from retrieval.exceptions import InvalidFilterError
from retrieval.query.moments import after, end_of, parse_moment, start_of

DAY = date(2031, 3, 31)
EVENING = datetime(2031, 3, 31, 18, 45, tzinfo=UTC)
BERLIN = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2031-03-31", DAY),
        (" 2031-03-31 ", DAY),
        ("2031-03-31T18:45:00Z", EVENING),
        ("2031-03-31T20:45:00+02:00", EVENING),
        ("2031-03-31T18:45", datetime(2031, 3, 31, 18, 45)),  # noqa: DTZ001 # as typed
    ],
)
def test_parse_moment__days_and_instants(text, moment):
    assert parse_moment(text, field="since") == moment


@pytest.mark.parametrize("text", ["", "yesterday", "31.03.2031", "2031-02-30", "2031-03-31T25:00"])
def test_parse_moment__refuses_the_rest_by_name(text):
    with pytest.raises(InvalidFilterError, match=r"^until is .*write a date like") as caught:
        parse_moment(text, field="until")
    assert caught.value.field == "until"


@pytest.mark.parametrize("text", ["0001-01-01", "0999-12-31T23:59Z", "9001-01-01", "9999-12-31"])
def test_parse_moment__refuses_the_edges_of_the_calendar(text):
    with pytest.raises(InvalidFilterError, match="years from 1000 to 9000 are understood"):
        parse_moment(text, field="as_of")


def test_bounds__of_a_day():
    assert start_of(DAY, zone=UTC) == datetime(2031, 3, 31, tzinfo=UTC)
    assert after(DAY, zone=UTC) == datetime(2031, 4, 1, tzinfo=UTC)
    assert end_of(DAY, zone=BERLIN) == datetime(2031, 3, 31, 21, 59, 59, 999999, tzinfo=UTC)


def test_bounds__of_an_instant():
    assert start_of(EVENING, zone=BERLIN) == EVENING
    assert end_of(EVENING, zone=BERLIN) == EVENING
    assert after(EVENING, zone=BERLIN) - EVENING == timedelta(microseconds=1)


def test_bounds__an_instant_without_zone_is_local():
    naive = EVENING.replace(tzinfo=None)
    assert start_of(naive, zone=BERLIN) == EVENING - timedelta(hours=2)
