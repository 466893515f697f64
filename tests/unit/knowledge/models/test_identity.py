"""Ids that sort by time."""

import uuid

from knowledge.models.identity import time_ordered_id


def test_time_ordered_id__later_sorts_after(monkeypatch):
    moments = iter([1_000_000_000_000_000_000, 1_000_000_000_001_000_000])
    monkeypatch.setattr("knowledge.models.identity.time.time_ns", lambda: next(moments))
    first, second = time_ordered_id(), time_ordered_id()
    assert first < second
    assert str(first) < str(second)


def test_time_ordered_id__is_a_version_7():
    made = {time_ordered_id() for _ in range(100)}
    assert len(made) == 100
    assert {(value.version, value.variant) for value in made} == {(7, uuid.RFC_4122)}
