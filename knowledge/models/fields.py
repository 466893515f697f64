"""Field definitions that several models share."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.lookups import GreaterThan

EVERYONE = "everyone"

ACCESS_TAG = RegexValidator(
    r"^[a-z0-9][a-z0-9_-]{0,62}$",
    "An access tag is made of lower-case letters, digits, hyphens and underscores.",
)


def everyone() -> list[str]:
    """Return the access tags of what everybody may read."""
    return [EVERYONE]


def access_tags_field() -> "ArrayField[Any, Any]":
    """Return a field of access tags: whoever holds one of them may read the row."""
    return ArrayField(
        models.CharField(max_length=63, validators=[ACCESS_TAG]),
        default=everyone,
        help_text="Readers who hold one of these tags may see it. “everyone” means all readers.",
    )


def unit_interval_field(**options: Any) -> "models.FloatField[Any, Any]":
    """Return a field of a number from 0 to 1."""
    return models.FloatField(validators=[MinValueValidator(0.0), MaxValueValidator(1.0)], **options)


def unit_interval(name: str, *, field: str) -> models.CheckConstraint:
    """Return the constraint that keeps `field` within 0..1; NULL passes."""
    return models.CheckConstraint(
        name=name, condition=models.Q(**{f"{field}__gte": 0.0, f"{field}__lte": 1.0})
    )


class VectorNorm(models.Func):
    """Euclidean length of a vector."""

    function = "vector_norm"
    output_field = models.FloatField()


def is_not_zero_vector(name: str) -> models.CheckConstraint:
    """Return the constraint that keeps out the zero vector, which ranks first in any comparison."""
    return models.CheckConstraint(name=name, condition=GreaterThan(VectorNorm("vector"), 0.0))


def has_access_tags(name: str) -> models.CheckConstraint:
    """Return the constraint that a row always names who may read it."""
    return models.CheckConstraint(name=name, condition=models.Q(access_tags__len__gt=0))
