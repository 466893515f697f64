"""Every address of the admin, found by walking the project's addresses."""

import re
from dataclasses import dataclass

from django.apps import apps
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.urls import URLPattern, get_resolver
from django.utils import timezone
from django_q.models import OrmQ, Schedule, Task

from knowledge.models import Chunk, Document, DocumentBody, IngestionLogEntry, IngestionRun, Source
from retrieval.models import EvaluationRun, GoldenQuestion, RankingProfile, RankingProfileVersion
from tests.factories.cachemgr import CachedCitationFactory
from tests.factories.knowledge import ChunkFactory, DocumentFactory, EntityFactory
from tests.factories.retrieval import JudgementFactory
from tests.integration.admin import pages

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
OF_A_MODEL = re.compile(r"^admin/(\w+)/(\w+)/")
UNKNOWN = set()
"""Parameters of addresses that nothing stands for yet."""
CATCH_ALL = "admin/(?P<url>.*)$"
REGEX_GROUP = re.compile(r"\(\?P<app_label>[^)]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A page: its address with rows filled in, its model if it is of one, its name's last part."""

    url: str
    name: str
    label: str
    kind: str


def every_address(*, key=None):
    """Return the addresses of the admin, each with a row that exists, or with `key` for all."""
    found = [
        _address(pattern, name, key)
        for pattern, name in _walk(get_resolver().url_patterns)
        if pattern.startswith("admin/") and pattern != CATCH_ALL
    ]
    return list({each.url: each for each in found}.values())


def _walk(patterns, prefix=""):
    for each in patterns:
        route = prefix + str(each.pattern)
        if isinstance(each, URLPattern):
            yield route, each.name or ""
        else:
            yield from _walk(each.url_patterns, route)


def _address(route, name, key):
    match = OF_A_MODEL.match(route)
    model = _model(*match.groups()) if match else None
    label = model._meta.label_lower if model else ""
    plain = REGEX_GROUP.sub("knowledge", route).replace("^", "").removesuffix("$")
    url = "/" + PARAMETER.sub(lambda found: _value(found[1], model, key), plain)
    kind = name.removeprefix(f"{label.replace('.', '_')}_") if model else name
    return Address(url=url, name=name, label=label, kind=kind)


def _model(app, name):
    try:
        return apps.get_model(app, name)
    except LookupError:
        return None


def _value(parameter, model, key):
    """Return what stands for a parameter; a new kind of it has to be added here."""
    if model is not None:
        return key or quote(str(model._default_manager.order_by("pk").first().pk))
    values = {
        "layout": "csv",
        "kind": "source",
        "pk": str(Source.objects.order_by("pk").first().pk),
        "app": "knowledge",
        "model": "source",
        "key": str(Source.objects.order_by("pk").first().pk),
        "number": str(Source.history.filter(history_type="~").first().history_id),
        "run_id": str(EvaluationRun.objects.order_by("pk").first().pk),
        "content_type_id": str(ContentType.objects.get_for_model(Source).pk),
        "object_id": str(Source.objects.order_by("pk").first().pk),
    }
    UNKNOWN.update({parameter} - values.keys())
    return values.get(parameter, "1")


def fill(count):
    """Make `count` rows of everything, and `count` rows below the first of everything."""
    pages.populate(count)
    _fill_queue(count)
    chunk = Chunk.objects.order_by("pk").first()
    document = Document.objects.order_by("pk").first()
    question = GoldenQuestion.objects.order_by("pk").first()
    profile = RankingProfile.objects.order_by("pk").first()
    run = IngestionRun.objects.order_by("pk").first()
    citation = CachedCitationFactory(chunk=chunk)
    for _ in range(count):
        other = DocumentFactory(source=document.source, status="failed", status_reason="Locked.")
        DocumentBody.objects.create(document=other, text="The grail.")
        DocumentFactory(source=document.source, parent=document, supersedes=document)
        document.entities.add(EntityFactory())
        JudgementFactory(question=question, document=other)
        latest = profile.versions.count() + 1
        RankingProfileVersion.objects.create(profile=profile, version=latest, values={})
        IngestionLogEntry.objects.create(run=run, level="error", message="Locked.")
        cited = ChunkFactory(document=document)
        CachedCitationFactory(
            response=citation.response, chunk=cited, number=citation.response.citations.count() + 1
        )
        User.objects.create(username=f"person {User.objects.count()}", is_staff=True)
        Group.objects.create(name=f"group {Group.objects.count()}")
        for row in (document.source, profile, document.source.source_type, *_words()):
            _edit(row)


def _words():
    yield from (
        apps.get_model(name).objects.order_by("pk").first()
        for name in ("retrieval.synonym", "retrieval.intent", "knowledge.entity")
    )


def _edit(row):
    """Give a row one more entry of its history."""
    field = {"Source": "location", "RankingProfile": "description", "Intent": "label"}.get(
        type(row).__name__
    )
    if field is not None:
        setattr(row, field, f"{type(row).history.count()}")
        row.save()


def _fill_queue(count):
    now = timezone.now()
    for number in range(count):
        OrmQ.objects.create(key="crmind", payload="no task of ours", lock=now)
        Schedule.objects.create(name=f"nightly {Schedule.objects.count()}", func="math.floor")
        for success in (True, False):
            Task.objects.create(
                id=f"{number}-{success}-{Task.objects.count()}",
                name="a task",
                func="math.floor",
                started=now,
                stopped=now,
                success=success,
                result="done",
            )
