"""How long set-back work waits."""

import pytest

from knowledge.services.backoff import PASSING_FAULT, WORKER_DEATH, Backoff


@pytest.mark.parametrize(
    ("setbacks", "jitter", "seconds"),
    [(0, 1.0, 0.0), (1, 0.0, 5.0), (1, 1.0, 10.0), (2, 1.0, 20.0), (3, 0.5, 30.0), (9, 1.0, 60.0)],
)
def test_delay_seconds__doubles_up_to_the_longest(setbacks, jitter, seconds):
    backoff = Backoff(first_seconds=10.0, longest_seconds=60.0)

    assert backoff.delay_seconds(setbacks, jitter=jitter) == seconds


def test_delay_seconds__a_dead_worker_is_replaced_at_once_at_first():
    assert WORKER_DEATH.delay_seconds(2, jitter=1.0) == 0.0
    assert WORKER_DEATH.delay_seconds(3, jitter=1.0) == 2.0
    assert PASSING_FAULT.delay_seconds(1, jitter=1.0) == 15.0


def test_is_over__after_the_most_setbacks():
    backoff = Backoff(most=3)

    assert [backoff.is_over(setbacks) for setbacks in range(5)] == [False] * 3 + [True] * 2
