"""On whose behalf, and why, a change is made where no request says so."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_person: ContextVar[Any] = ContextVar("history_person", default=None)
_reason: ContextVar[str] = ContextVar("history_reason", default="")


@contextmanager
def acting_as(user: Any) -> Iterator[None]:
    """Record the changes made within as those of `user`: for tasks that a person started."""
    token = _person.set(user)
    try:
        yield
    finally:
        _person.reset(token)


@contextmanager
def because(reason: str) -> Iterator[None]:
    """Record `reason` with the changes made within."""
    token = _reason.set(reason)
    try:
        yield
    finally:
        _reason.reset(token)


def acting_person() -> Any:
    """Return the user set by `acting_as`, None outside of it."""
    return _person.get()


def given_reason() -> str:
    """Return the reason set by `because`, empty outside of it."""
    return _reason.get()
