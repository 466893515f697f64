from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.cron import CronError, next_due, read_cron

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")


def local_times(expression, zone, start, count):
    """Return the next moments as the clock on the wall shows them, with the offset in minutes."""
    moment = datetime.fromisoformat(start).replace(tzinfo=zone).astimezone(UTC)
    cron = read_cron(expression)
    shown = []
    for _ in range(count):
        moment = next_due(cron, after=moment, zone=zone)
        local = moment.astimezone(zone)
        shown.append(f"{local:%m-%d %H:%M}{local.utcoffset() / timedelta(minutes=1):+.0f}")
    return shown


@pytest.mark.parametrize(
    ("zone", "start", "expected"),
    [
        # Spring: 2:30 does not exist, so it is due at the moment the clock skips to.
        (BERLIN, "2031-03-29T12:00", ["03-30 03:00+120", "03-31 02:30+120"]),
        (NEW_YORK, "2031-03-08T12:00", ["03-09 03:00-240", "03-10 02:30-240"]),
        # Half an hour is skipped there: 2:00 to 2:30, so 2:30 exists.
        (LORD_HOWE, "2031-10-04T12:00", ["10-05 02:30+660", "10-06 02:30+660"]),
        # Autumn: 2:30 comes twice in Berlin, and is due once, at the first.
        (BERLIN, "2031-10-25T12:00", ["10-26 02:30+120", "10-27 02:30+60"]),
        (LORD_HOWE, "2031-04-05T12:00", ["04-06 02:30+630", "04-07 02:30+630"]),
    ],
)
def test_next_due__daily_at_half_past_two(zone, start, expected):
    assert local_times("30 2 * * *", zone, start, 2) == expected


@pytest.mark.parametrize(
    ("expression", "zone", "start", "expected"),
    [
        ("30 1 * * *", NEW_YORK, "2031-11-01T12:00", ["11-02 01:30-240", "11-03 01:30-300"]),
        ("45 1 * * *", LORD_HOWE, "2031-04-05T12:00", ["04-06 01:45+660", "04-07 01:45+630"]),
        ("15 2 * * *", LORD_HOWE, "2031-10-04T12:00", ["10-05 02:30+660", "10-06 02:15+660"]),
    ],
)
def test_next_due__times_in_the_odd_hour(expression, zone, start, expected):
    assert local_times(expression, zone, start, 2) == expected


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK, LORD_HOWE])
def test_next_due__every_hour_is_every_hour_all_year(zone):
    cron = read_cron("0 * * * *")
    # Lord Howe moves its clock by half an hour, so twice a year a full hour is 90 minutes away.
    longest = timedelta(minutes=90 if zone is LORD_HOWE else 60)
    for month in (3, 4, 10, 11):
        moment = datetime(2031, month, 1, tzinfo=UTC)
        for _ in range(24 * 30):
            following = next_due(cron, after=moment, zone=zone)
            assert following - moment <= longest
            moment = following


def test_next_due__several_times_in_the_gap_are_one():
    assert local_times("*/20 2 * * *", BERLIN, "2031-03-29T12:00", 2) == [
        "03-30 03:00+120",
        "03-31 02:00+120",
    ]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0 6 * * mon", ["07-07 06:00+120", "07-14 06:00+120"]),
        ("0 6 * * 0", ["07-06 06:00+120", "07-13 06:00+120"]),
        ("0 6 * * 7", ["07-06 06:00+120", "07-13 06:00+120"]),
        ("30 6 * * mon-fri", ["07-01 06:30+120", "07-02 06:30+120"]),
        ("0 */8 * * *", ["07-01 08:00+120", "07-01 16:00+120"]),
        ("5,35 6 1 * *", ["07-01 06:05+120", "07-01 06:35+120"]),
        # Day of the month or weekday, as cron has it.
        ("0 6 13 * fri", ["07-04 06:00+120", "07-11 06:00+120"]),
        ("0 6 29 feb *", ["02-29 06:00+60", "02-29 06:00+60"]),
    ],
)
def test_next_due__fields(expression, expected):
    assert local_times(expression, BERLIN, "2031-07-01T00:00", 2) == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "0 parts"),
        ("* * * *", "4 parts"),
        ("60 * * * *", "minute: '60'"),
        ("* 24 * * *", "hour: '24'"),
        ("* * 0 * *", "day of the month: '0'"),
        ("* * * foo *", "month: 'foo'"),
        ("* * * * 8", "day of the week: '8'"),
        ("*/0 * * * *", "minute"),
        ("5-1 * * * *", "minute"),
        ("1, * * * *", "minute"),
        ("\u0661 * * * *", "minute"),
        ("0 0 30 2 *", "never due"),
    ],
)
def test_read_cron__says_what_is_wrong(expression, message):
    with pytest.raises(CronError, match=message):
        read_cron(expression)


ZONES = st.sampled_from([BERLIN, NEW_YORK, LORD_HOWE, UTC])
NIGHTS = st.integers(0, 365 * 24 * 60).map(
    lambda minutes: datetime(2031, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)
EXPRESSIONS = st.builds(
    "{} {} * * *".format,
    st.sampled_from(["0", "30", "15,45", "*/10", "59"]),
    st.sampled_from(["*", "0", "1", "2", "1-3", "23", "*/6"]),
)


@given(zone=ZONES, after=NIGHTS, expression=EXPRESSIONS)
def test_next_due__is_later_and_at_a_time_of_the_table(zone, after, expression):
    cron = read_cron(expression)

    moment = next_due(cron, after=after, zone=zone)

    assert moment > after
    local = moment.astimezone(zone)
    is_listed = local.hour in cron.hours and local.minute in cron.minutes
    before = (moment - timedelta(minutes=1)).astimezone(zone)
    has_just_skipped = before.utcoffset() != local.utcoffset()
    assert is_listed or has_just_skipped


@given(zone=ZONES, after=NIGHTS)
def test_next_due__daily_is_once_a_day(zone, after):
    """No day without, none with two, whatever the night."""
    cron = read_cron("15 2 * * *")
    first = next_due(cron, after=after, zone=zone)
    second = next_due(cron, after=first, zone=zone)

    assert second.astimezone(zone).date() - first.astimezone(zone).date() == timedelta(days=1)
