"""Brings a fresh installation to the point where it answers questions."""

import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.db import transaction

from cachemgr.tasks import ensure_nightly_purge
from crmind.roles import ADMINISTRATOR, seed_roles
from knowledge.models import ApiKey, Source
from knowledge.seed import seed_source_types
from retrieval.seed import seed_intents, seed_profiles
from retrieval.tasks import ensure_nightly_gaps

ADMIN_USER = "admin"
LOCAL_KEY_NAME = "local"
LOCAL_KEY_TAGS = ("everyone", "sales")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """How to sign in to a local installation.

    `password` is empty once somebody has changed it: only a hash of it is kept then.
    """

    user: str
    password: str
    api_key: str


def prepare_database(*, report: Callable[[str], None]) -> None:
    """Migrate, seed and, in an empty installation, load the demo knowledge base."""
    report("Preparing the database ...")
    # The checks say what a database of one's own lacks before anything is written to it.
    call_command("migrate", verbosity=0, interactive=False, skip_checks=False)
    seed()
    if not Source.objects.exists():
        report("Loading the demo knowledge base ...")
        call_command("load_demo")


@transaction.atomic
def seed() -> None:
    """Create what every installation starts from; edits made since are kept."""
    seed_source_types()
    seed_profiles()
    seed_intents()
    seed_roles()
    ensure_nightly_purge()
    ensure_nightly_gaps()


def ensure_credentials(directory: Path | None = None) -> Credentials:
    """Return working credentials, kept in a file that only its owner may read."""
    path = (directory or settings.STATE_DIR) / "credentials.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    with transaction.atomic():
        credentials = Credentials(
            user=ADMIN_USER,
            password=_ensure_password(kept.get("password", "")),
            api_key=_ensure_api_key(kept.get("api_key", "")),
        )
        _keep(path, credentials)
    return credentials


def _ensure_password(kept: str) -> str:
    user, is_new = get_user_model().objects.get_or_create(
        username=ADMIN_USER, defaults={"is_staff": True, "is_superuser": True}
    )
    if not is_new:
        return kept if kept and user.check_password(kept) else ""
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    user.save(update_fields=["password"])
    user.groups.add(Group.objects.get(name=ADMINISTRATOR))
    return password


def _ensure_api_key(kept: str) -> str:
    if kept and ApiKey.objects.is_valid(kept):
        return kept
    _, key = ApiKey.objects.create_key(
        name=LOCAL_KEY_NAME, access_tags=list(LOCAL_KEY_TAGS), can_write=True
    )
    return str(key)


def _keep(path: Path, credentials: Credentials) -> None:
    content = json.dumps({"password": credentials.password, "api_key": credentials.api_key})
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(content)
