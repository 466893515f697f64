"""Ranking profiles: reading the one in force, and every write of them."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from knowledge.services.validation import save_validated
from retrieval.exceptions import InvalidProfileError, StaleProfileError, UnknownProfileError
from retrieval.models import ProfileStatus, RankingProfile, RankingProfileVersion
from retrieval.ranking.profile import Profile, check_profile

_NOT_CONTENT = frozenset({"id", "version", "created_at", "updated_at"})


def get_profile(slug: str = "") -> Profile:
    """Return the published profile of that name, the default one for an empty name.

    Raises UnknownProfileError.
    """
    published = RankingProfile.objects.filter(status=ProfileStatus.PUBLISHED)
    chosen = published.filter(slug=slug) if slug else published.filter(is_default=True)
    row = chosen.first()
    if row is not None:
        return as_profile(row)
    if not slug:
        message = "There is no default ranking profile. Run manage.py seed."
        raise UnknownProfileError(message, field="profile")
    slugs = ", ".join(published.order_by("slug").values_list("slug", flat=True)[:20])
    message = f"There is no published ranking profile {slug!r}. Published are: {slugs or 'none'}."
    raise UnknownProfileError(message, field="profile")


def as_profile(row: RankingProfile) -> Profile:
    """Return the values of a profile, a draft or published, as pure code takes them."""
    return Profile(**{field.name: getattr(row, field.name) for field in fields(Profile)})


@transaction.atomic
def save_profile(
    *,
    profile: RankingProfile | None,
    changes: Mapping[str, Any],
    user: User | None = None,
    seen_version: int | None = None,
) -> RankingProfile:
    """Make a profile, or change one and keep the values it had as a version of its history.

    A profile that becomes the default one takes the place of the former. Raises InvalidProfileError
    or InvalidInputError naming the field, and StaleProfileError if the profile is no longer of the
    version that was seen. What searches are to use goes through `save_measured`, which asks the
    golden set first.
    """
    row = RankingProfile() if profile is None else _locked(profile)
    if seen_version is not None and profile is not None and row.version != seen_version:
        raise StaleProfileError
    before = {} if profile is None else profile_values(row)
    was_default = row.is_default
    for name, value in changes.items():
        if name in _NOT_CONTENT or name not in profile_values(row):
            message = f"A ranking profile has no {name!r} that can be set."
            raise InvalidProfileError(message, field=name)
        setattr(row, name, value)
    if profile is not None and profile_values(row) == before:
        return row
    _check_default(row, was_default=was_default)
    check_profile(as_profile(row))
    if profile is not None:
        RankingProfileVersion.objects.create(
            profile=row, version=row.version, values=before, changed_by=user
        )
        row.version += 1
    if row.is_default:
        _dethrone(RankingProfile.objects.filter(is_default=True).exclude(pk=row.pk))
    save_validated(row)
    return row


def profile_values(row: RankingProfile) -> dict[str, Any]:
    """Return what a curator sets on a profile, by field."""
    names = (field.name for field in RankingProfile._meta.concrete_fields)  # noqa: SLF001 # documented
    return {name: getattr(row, name) for name in names if name not in _NOT_CONTENT}


def _locked(profile: RankingProfile) -> RankingProfile:
    return RankingProfile.objects.select_for_update().get(pk=profile.pk)


def _dethrone(former: QuerySet[RankingProfile]) -> None:
    for profile in former.select_for_update():
        profile.is_default = False
        profile.save(update_fields=["is_default", "updated_at"])


def _check_default(row: RankingProfile, *, was_default: bool) -> None:
    if was_default and not row.is_default:
        message = "One profile has to be the default: make another one the default instead."
        raise InvalidProfileError(message, field="is_default")
    if row.is_default and row.status != ProfileStatus.PUBLISHED:
        message = "The default profile has to be published."
        raise InvalidProfileError(message, field="status")
