"""The three roles of people who use the admin, as groups with permissions."""

from collections.abc import Iterator

from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

VIEWER = "Viewer"
CURATOR = "Curator"
ADMINISTRATOR = "Administrator"

_READABLE = {
    "knowledge": (
        "source",
        "sourcetype",
        "entity",
        "document",
        "chunk",
        "embeddingspace",
        "ingestionrun",
    ),
    "retrieval": (
        "rankingprofile",
        "synonym",
        "intent",
        "goldenquestion",
        "judgement",
        "evaluationrun",
    ),
    "cachemgr": ("cachedresponse",),
}

_CURATED = frozenset(
    {
        "knowledge.read_every_document",
        "knowledge.add_source",
        "knowledge.change_source",
        "knowledge.add_sourcetype",
        "knowledge.change_sourcetype",
        "knowledge.add_entity",
        "knowledge.change_entity",
        "knowledge.delete_entity",
        "knowledge.add_document",
        "knowledge.change_document",
        "knowledge.change_chunk",
        "knowledge.add_ingestionrun",
        "knowledge.view_ingestionlogentry",
        "retrieval.add_rankingprofile",
        "retrieval.change_rankingprofile",
        "retrieval.add_synonym",
        "retrieval.change_synonym",
        "retrieval.delete_synonym",
        "retrieval.add_intent",
        "retrieval.change_intent",
        "retrieval.delete_intent",
        "retrieval.add_goldenquestion",
        "retrieval.change_goldenquestion",
        "retrieval.delete_goldenquestion",
        "retrieval.add_judgement",
        "retrieval.change_judgement",
        "retrieval.delete_judgement",
        "retrieval.add_evaluationrun",
        "retrieval.view_searchlog",
        "retrieval.view_knowledgegap",
        "retrieval.change_knowledgegap",
        "cachemgr.delete_cachedresponse",
    }
)

_ADMINISTERED_APPS = ("knowledge", "retrieval", "cachemgr")
_ADMINISTERED = frozenset(
    {
        "auth.view_user",
        "auth.add_user",
        "auth.change_user",
        "auth.view_group",
    }
)


@transaction.atomic
def seed_roles() -> None:
    """Make the groups Viewer, Curator and Administrator mean what this module says.

    Safe to repeat. Permissions given to these groups by hand are taken back: a wish of one's own
    is a group of one's own.
    """
    known = {
        f"{app}.{codename}": (key, app)
        for key, app, codename in Permission.objects.values_list(
            "pk", "content_type__app_label", "codename"
        )
    }
    everything = {
        label for label, (_, app) in known.items() if app in _ADMINISTERED_APPS
    } | _ADMINISTERED
    viewer = frozenset(_view_permissions())
    for name, labels in (
        (VIEWER, viewer),
        (CURATOR, viewer | _CURATED),
        (ADMINISTRATOR, everything),
    ):
        missing = sorted(labels - known.keys())
        if missing:
            message = f"The permissions {missing} do not exist. Run the migrations first."
            raise ImproperlyConfigured(message)
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.set([known[label][0] for label in labels])


def _view_permissions() -> Iterator[str]:
    for app, models in _READABLE.items():
        yield from (f"{app}.view_{model}" for model in models)
