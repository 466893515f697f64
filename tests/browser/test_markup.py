"""Stored text that would run if a page took it for markup: it is shown as text, on every page."""

from django.contrib import admin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.urls import reverse
from django.utils.http import urlencode

from knowledge.history import acting_as
from tests.factories.staff import StaffFactory
from tests.integration.admin import pages

MARKUP = "<img src=x onerror=alert(1)>"
# Names of things that code looks up, not text of people or documents.
LOOKED_UP = frozenset(
    {"language", "access_tags", "codename", "password", "app_label", "model", "provider"}
)
UNTOUCHED_APPS = frozenset({"auth", "django_q"})
SHOWN_ON = (
    "knowledge.source",
    "knowledge.document",
    "knowledge.chunk",
    "knowledge.entity",
    "knowledge.ingestionrun",
    "retrieval.searchlog",
    "retrieval.knowledgegap",
    "retrieval.synonym",
    "retrieval.goldenquestion",
    "cachemgr.cachedresponse",
)


def test_markup__is_shown_as_text_on_every_page(visit):
    pages.populate(1)
    person = StaffFactory(role="superuser")
    with acting_as(person):
        spoilt = [spoil(row) for model in models_of_text() for row in model.objects.all()]
    rows = list({type(row): row for row in spoilt}.values())
    visitor = visit("superuser")

    opened = {path: read(visitor, path) for path in paths(rows)}

    assert len(opened) > 40
    for row in rows:
        if row._meta.label_lower in SHOWN_ON:
            assert MARKUP in opened[pages.change_url(row)], row._meta.label
    visitor.check()


def models_of_text():
    registered = set(admin.site._registry)
    others = {field.related_model for model in registered for field in model._meta.related_objects}
    wanted = (registered | others) - {None}
    ours = {"knowledge", "retrieval", "cachemgr"}
    return [
        model
        for model in sorted(wanted, key=lambda model: model._meta.label)
        if model._meta.app_label in ours and not model._meta.label.count("Historical")
    ]


def spoil(row):
    """Put markup into every text of a row that people or documents write."""
    for field in row._meta.concrete_fields:
        if field.name in LOOKED_UP or field.choices or field.unique:
            continue
        if isinstance(field, models.CharField | models.TextField):
            if (field.max_length or 1_000) > len(MARKUP) + 12:
                setattr(row, field.name, f"{MARKUP}{row.pk}"[: field.max_length])
        elif isinstance(field, ArrayField) and isinstance(
            field.base_field, models.CharField | models.TextField
        ):
            setattr(row, field.name, [MARKUP, f"{MARKUP}2"])
        elif field.name == "metadata":
            row.metadata = {MARKUP: MARKUP}
    row.save()
    return row


def paths(rows):
    yield "/admin/"
    yield f"{reverse('preview')}?{urlencode({'question': MARKUP})}"
    yield f"{reverse('admin:knowledge_document_add_documents')}?{urlencode({'title': MARKUP})}"
    yield reverse("changes")
    for model in admin.site._registry:
        if model._meta.app_label != "django_q":
            yield pages.list_url(model)
    for row in rows:
        if admin.site.is_registered(type(row)):
            yield pages.change_url(row)
            if row._meta.label_lower in {"knowledge.document", "retrieval.synonym"}:
                name = f"admin:{row._meta.label_lower.replace('.', '_')}_history"
                yield reverse(name, args=[row.pk])


def read(visitor, path):
    visitor.page.goto(f"{visitor.address}{path}", wait_until="load")
    assert visitor.page.locator("img[src=x]").count() == 0, path
    return visitor.page.locator("body").inner_text()
