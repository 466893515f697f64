"""Every write of the retrieval app, and reading the profile in force."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.crypto import salted_hmac

from knowledge.services.validation import save_validated
from retrieval.conf import retrieval_settings
from retrieval.exceptions import InvalidProfileError, UnknownProfileError
from retrieval.models import ProfileStatus, RankingProfile, RankingProfileVersion, SearchLog
from retrieval.ranking.profile import Profile, check_profile
from retrieval.types import Filters, SearchResult

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
) -> RankingProfile:
    """Make a profile, or change one and keep the values it had as a version of its history.

    A profile that becomes the default one takes the place of the former. Raises InvalidProfileError
    or InvalidInputError naming the field.
    """
    row = RankingProfile() if profile is None else _locked(profile)
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
        RankingProfile.objects.filter(is_default=True).exclude(pk=row.pk).update(is_default=False)
    save_validated(row)
    return row


def publish(*, profile: RankingProfile, user: User | None = None) -> RankingProfile:
    """Let searches use a profile."""
    return save_profile(
        profile=profile, changes={"status": ProfileStatus.PUBLISHED.value}, user=user
    )


def profile_values(row: RankingProfile) -> dict[str, Any]:
    """Return what a curator sets on a profile, by field."""
    names = (field.name for field in RankingProfile._meta.concrete_fields)  # noqa: SLF001 # documented
    return {name: getattr(row, name) for name in names if name not in _NOT_CONTENT}


def log_search(result: SearchResult, *, origin: str) -> SearchLog:
    """Keep what was asked and how well it could be answered.

    Where questions are kept as hashes only, nothing that holds words of them is kept either. The
    hash is keyed by SECRET_KEY: a list of likely questions does not tell which ones were asked.
    """
    query = result.query
    is_plain = retrieval_settings().search_log_questions == "plain"
    return SearchLog.objects.create(
        question=query.question if is_plain else "",
        question_hash=_question_hash(query.question),
        interpretation=dict(result.interpretation) if is_plain else {},
        filters=_logged(query.filters),
        profile_slug=result.profile,
        verdict=result.judgment.verdict.value,
        chunk_ids=[hit.evidence.chunk_id for hit in result.hits],
        origin=origin,
        timings_ms=dict(result.timings_ms),
    )


@transaction.atomic
def purge_searches(*, before: datetime) -> int:
    """Delete what was asked before that instant; return how many searches that were."""
    deleted, _ = SearchLog.objects.filter(created_at__lt=before).delete()
    return deleted


def _question_hash(question: str) -> str:
    return salted_hmac("retrieval.search_log", question.casefold(), algorithm="sha256").hexdigest()


def _locked(profile: RankingProfile) -> RankingProfile:
    return RankingProfile.objects.select_for_update().get(pk=profile.pk)


def _check_default(row: RankingProfile, *, was_default: bool) -> None:
    if was_default and not row.is_default:
        message = "One profile has to be the default: make another one the default instead."
        raise InvalidProfileError(message, field="is_default")
    if row.is_default and row.status != ProfileStatus.PUBLISHED:
        message = "The default profile has to be published."
        raise InvalidProfileError(message, field="status")


def _logged(filters: Filters) -> dict[str, Any]:
    """Return the filters as JSON, without those that do not limit."""
    moments = {"since": filters.since, "until": filters.until, "known_by": filters.known_by}
    limits: dict[str, Any] = {
        "access_tags": sorted(filters.access_tags),
        "entity_ids": [str(entity_id) for entity_id in filters.entity_ids],
        "source_ids": list(filters.source_ids),
        "source_type_ids": list(filters.source_type_ids),
        **{name: moment.isoformat() for name, moment in moments.items() if moment},
    }
    return {name: value for name, value in limits.items() if value}
