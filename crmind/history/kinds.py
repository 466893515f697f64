"""Which kinds of rows have a history, and what of it a person may read."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst

from knowledge.admin.readers import only_readable, reads_everything
from knowledge.models import Chunk, Document
from retrieval.models import Judgement

OF_DOCUMENTS = (Chunk, Judgement)
OTHER_DOCUMENTS = ("supersedes", "duplicate_of")


def tracked_models() -> list[Any]:
    """Return the models with a history, by their titles."""
    models = (model for model in apps.get_models() if is_tracked(model))
    return sorted(models, key=title_of)


def is_tracked(model: Any) -> bool:
    """Return whether a model has a history."""
    return hasattr(model._meta, "simple_history_manager_attribute")  # noqa: SLF001 # documented


def visible_models(request: HttpRequest) -> list[Any]:
    """Return the models with a history whose rows the user may see in the admin."""
    return [model for model in tracked_models() if _may_see(request, model)]


def logged_models(request: HttpRequest) -> list[Any]:
    """Return the models without a history that the user may see: the admin's log tells of them."""
    return [
        model
        for model in admin.site._registry  # noqa: SLF001 # what the admin's own index reads
        if not is_tracked(model) and _may_see(request, model)
    ]


def history_of(model: Any, user: Any) -> QuerySet[Any]:
    """Return the rows of a model's history that `user` may read."""
    rows: QuerySet[Any] = model.history.model._base_manager.all()  # noqa: SLF001 # documented
    if reads_everything(user):
        return rows
    if model is Document:
        readable = only_readable(Document.objects.order_by(), user)
        rows = rows.filter(id__in=readable.values("pk"))
        # What names another document is left out, as that one may have other readers.
        for name in OTHER_DOCUMENTS:
            rows = rows.exclude(history_changes__contains=[{"field": name}])
        return rows
    return only_readable(rows, user, field="document") if model in OF_DOCUMENTS else rows


def label_of(model: type[Model]) -> str:
    """Return the name a kind has in addresses, such as "knowledge.source"."""
    return model._meta.label_lower  # noqa: SLF001 # documented


def title_of(model: type[Model]) -> str:
    """Return the name a kind has for people."""
    return capfirst(str(model._meta.verbose_name))  # noqa: SLF001 # documented


def _may_see(request: HttpRequest, model: Any) -> bool:
    if not admin.site.is_registered(model):
        return False
    return admin.site.get_model_admin(model).has_view_permission(request)
