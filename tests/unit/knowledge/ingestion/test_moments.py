from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.moments import UnusableValueError, read_moment

NOON = datetime(2031, 7, 20, 12, 0, tzinfo=UTC)
MIDNIGHT = datetime(2031, 7, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        date(2031, 7, 20),
        datetime(2031, 7, 20),  # noqa: DTZ001 - a time without a zone is the case
        "2031-07-20",
        "2031/07/20",
        "2031.7.20",
        "20310720",
        "20.07.2031",
        "07/20/2031",
        "20/7/2031",
        "20 July 2031",
        "Jul 20, 2031",
    ],
)
def test_read_moment__day(written):
    assert read_moment(written) == MIDNIGHT


@pytest.mark.parametrize(
    "written",
    [
        "2031-07-20T12:00:00Z",
        "2031-07-20 12:00",
        "2031-07-20 12:00:00 UTC",
        "2031-07-20T14:00:00+02:00",
        "Sun, 20 Jul 2031 14:00:00 +0200",
        "20.07.2031 12:00",
        "07/20/2031 12:00:00",
        str(int(NOON.timestamp())),
        str(int(NOON.timestamp() * 1000)),
    ],
)
def test_read_moment__time(written):
    assert read_moment(written) == NOON


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("soon", "'soon' is not a date like 2031-07-20"),
        ("", "'' is not a date like 2031-07-20"),
        ("7", "'7' is not a date like 2031-07-20"),
        ("2031-13-45", "'2031-13-45' is not a date like 2031-07-20"),
        ("31.02.2031", "'31.02.2031' is not a date like 2031-07-20"),
        ("20.07.2031 25:61", "'20.07.2031 25:61' is not a date like 2031-07-20"),
        (
            "03/04/2031",
            "'03/04/2031' is not one certain day; write 2031-04-03 or 2031-03-04",
        ),
        (
            "0001-01-01T00:00+05:00",
            "'0001-01-01 00:00:00+05:00' is not a date like 2031-07-20",
        ),
        ("x" * 100, f"{'x' * 40 + '…'!r} is not a date like 2031-07-20"),
    ],
)
def test_read_moment__unusable(written, message):
    with pytest.raises(UnusableValueError) as raised:
        read_moment(written)

    assert str(raised.value) == message


@given(st.text(max_size=40) | st.from_regex(r"[0-9:/. +-]{1,24}", fullmatch=True))
def test_read_moment__any_text_gives_utc_or_one_error(written):
    try:
        moment = read_moment(written)
    except UnusableValueError:
        return
    assert moment.tzinfo is UTC
