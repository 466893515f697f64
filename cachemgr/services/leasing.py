"""Lets one of many equal questions be answered, while the others wait for that answer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic, sleep
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, models

from cachemgr.conf import CacheSettings, cache_settings
from cachemgr.keys import Scope, question_key, scope_fingerprint
from cachemgr.models import AnswerLease
from cachemgr.services.lookup import find_exact
from cachemgr.sql import statement
from cachemgr.types import Lookup, MissReason
from crmind.workload import step_aside

FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 0.5
PAUSE_GROWTH = 1.5


FindMeant = Callable[[datetime], Lookup]
"""Looks for the answer to another question that means the same; this embeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """How a look-up ended, and whose turn it is to answer after a miss.

    With `holder` it is the asker's, who may store under that key; else somebody else is still at
    it, or nothing can be stored.
    """

    lookup: Lookup
    holder: UUID | None = None


def look_up_in_turn(*, question: str, scope: Scope, find_meant: FindMeant, now: datetime) -> Turn:
    """Look a question up; after an exact miss only whoever takes the lease on it goes further.

    The others wait for the answer, `wait_seconds` long. A holder that dies loses the lease after
    `lease_seconds`; then one of those who wait takes it. Nobody waits inside a transaction, nor as
    one more than `max_waiting` in this process.
    """
    settings = cache_settings()
    started = monotonic()
    lookup = find_exact(question=question, scope=scope, now=now)
    while lookup.answer is None:
        moment = now + timedelta(seconds=monotonic() - started)
        holder = take_lease(question=question, scope=scope, now=moment)
        if holder is not None:
            return _use_turn(holder, question, scope, find_meant, moment)
        left = settings.wait_seconds - (monotonic() - started)
        if not _wait_for_release(question, scope, moment, seconds=left, settings=settings):
            break
        moment = now + timedelta(seconds=monotonic() - started)
        lookup = find_exact(question=question, scope=scope, now=moment)
        # Where the holder found an answer to another question, so does everybody.
        if lookup.answer is None:
            lookup = find_meant(moment)
    return Turn(lookup=lookup)


def take_lease(
    *, question: str, scope: Scope, now: datetime, is_forced: bool = False
) -> UUID | None:
    """Return the key of the lease on a question, None while another one has it.

    `is_forced` takes it away: whoever had it may still store its answer.
    """
    if is_forced:
        _leases(question, scope).delete()
    parameters: dict[str, Any] = {
        "scope_fingerprint": scope_fingerprint(scope),
        "question_key": question_key(question),
        "holder": uuid4(),
        "until": now + timedelta(seconds=cache_settings().lease_seconds),
        "now": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("take_lease"), parameters)
        row: tuple[UUID] | None = cursor.fetchone()
    return row[0] if row else None


def release_lease(holder: UUID) -> None:
    """Let others answer; a lease that went to somebody else stays there."""
    AnswerLease.objects.filter(holder=holder).delete()


def _use_turn(
    holder: UUID, question: str, scope: Scope, find_meant: FindMeant, now: datetime
) -> Turn:
    """Look again, then further: an answer may have been stored before the lease was taken."""
    is_kept = False
    try:
        lookup = find_exact(question=question, scope=scope, now=now)
        if lookup.answer is None:
            meant = find_meant(now)
            is_nothing = meant.reason is MissReason.NO_MATCH
            # That an answer expired says more than that no other was found.
            lookup = replace(lookup, vector=meant.vector) if is_nothing else meant
        is_kept = lookup.answer is None
    finally:
        if not is_kept:
            release_lease(holder)
    return Turn(lookup=lookup, holder=holder if is_kept else None)


def _wait_for_release(
    question: str, scope: Scope, now: datetime, *, seconds: float, settings: CacheSettings
) -> bool:
    """Wait until nobody has the lease; False when it takes too long or there is no place to wait.

    Asks at growing intervals. Nothing is locked or left open in the database meanwhile.
    """
    if connection.in_atomic_block:
        return False
    started = monotonic()
    with _waiting_room.place(limit=settings.max_waiting) as is_admitted, step_aside():
        for pause in _pauses():
            passed = monotonic() - started
            moment = now + timedelta(seconds=passed)
            if not _leases(question, scope).filter(until__gt=moment).exists():
                return True
            if not is_admitted or passed >= seconds:
                return False
            sleep(min(pause, max(seconds - passed, 0.0)))
    return False


def _pauses() -> Iterator[float]:
    pause = FIRST_PAUSE_SECONDS
    while True:
        yield pause
        pause = min(pause * PAUSE_GROWTH, LONGEST_PAUSE_SECONDS)


def _leases(question: str, scope: Scope) -> "models.QuerySet[AnswerLease]":
    return AnswerLease.objects.filter(
        scope_fingerprint=scope_fingerprint(scope), question_key=question_key(question)
    )


class _WaitingRoom:
    """Counts the requests of this process that wait: each of them occupies a thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0

    @contextmanager
    def place(self, *, limit: int) -> Iterator[bool]:
        """Take a place for a while; False when all are taken. A limit of 0 is none."""
        with self._lock:
            is_admitted = limit == 0 or self._count < limit
            self._count += is_admitted
        try:
            yield is_admitted
        finally:
            with self._lock:
                self._count -= is_admitted


_waiting_room = _WaitingRoom()
