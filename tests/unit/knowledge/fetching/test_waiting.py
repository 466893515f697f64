from datetime import UTC, datetime

import pytest

from knowledge.fetching.waiting import RetryPolicy, back_off, read_retry_after

NOW = datetime(2031, 7, 20, 12, tzinfo=UTC)


def test_back_off__doubles_with_jitter_up_to_a_bound():
    policy = RetryPolicy(first_wait_seconds=1.0, longest_wait_seconds=5.0)

    assert [back_off(policy, failures=n, chance=1.0) for n in (1, 2, 3, 4)] == [1.0, 2.0, 4.0, 5.0]
    assert back_off(policy, failures=2, chance=0.0) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Sun, 20 Jul 2031 12:01:30 GMT", 90.0),
        ("Sun, 20 Jul 2031 11:00:00 GMT", 0.0),
        ("999999999999", 86_400.0),
        ("Sun, 20 Jul 2099 11:00:00 GMT", 86_400.0),
        ("soon", None),
        ("", None),
        ("-5", None),
    ],
)
def test_read_retry_after__seconds_or_date(written, seconds):
    assert read_retry_after(written, now=NOW) == seconds
