"""Builds a typed settings dataclass from one namespaced dictionary of Django's settings."""

import dataclasses
from typing import TypeVar

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

Config = TypeVar("Config")


def load_config(kind: type[Config], namespace: str) -> Config:
    """Return `kind` filled from `settings.<namespace>`; keys left out keep their default.

    Raises ImproperlyConfigured for a key that `kind` does not know.
    """
    given: dict[str, object] = getattr(settings, namespace, {})
    known = {field.name: field.name.upper() for field in dataclasses.fields(kind)}  # type: ignore[arg-type] # the bound "any dataclass" cannot be spelled
    unknown = sorted(set(given) - set(known.values()))
    if unknown:
        message = f"{namespace} has unknown keys {unknown}; it may hold {sorted(known.values())}."
        raise ImproperlyConfigured(message)
    return kind(**{name: _frozen(given[key]) for name, key in known.items() if key in given})


def _frozen(value: object) -> object:
    """Return a list as the tuple that a settings dataclass can be hashed with."""
    return tuple(value) if isinstance(value, list) else value
