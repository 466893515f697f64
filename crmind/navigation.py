"""The admin's side bar."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.contrib import admin
from django.core.paginator import InvalidPage
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One line of the side bar; `permission` "superuser" is no permission but the flag itself."""

    title: str
    icon: str
    name: str
    permission: str

    def is_open_to(self, user: Any) -> bool:
        """Return whether `user` may follow it."""
        if self.permission == SUPERUSER:
            return bool(user.is_superuser)
        return bool(user.has_perm(self.permission))


def _list(title: str, icon: str, model: str, permission: str = "") -> Link:
    app, _, name = model.partition(".")
    return Link(
        title=title,
        icon=icon,
        name=f"admin:{app}_{name}_changelist",
        permission=permission or f"{app}.view_{name}",
    )


SUPERUSER = "superuser"

GROUPS: tuple[tuple[str, tuple[Link, ...]], ...] = (
    (
        "Ask",
        (
            Link(
                title="Try a question",
                icon="manage_search",
                name="preview",
                permission="knowledge.view_document",
            ),
            _list("Cached answers", "bolt", "cachemgr.cachedresponse"),
            _list("Questions asked", "history", "retrieval.searchlog"),
            _list("Knowledge gaps", "contact_support", "retrieval.knowledgegap"),
        ),
    ),
    (
        "Knowledge",
        (
            _list("Sources", "source", "knowledge.source"),
            _list("Documents", "description", "knowledge.document"),
            _list("Passages", "segment", "knowledge.chunk"),
            _list("Entities", "domain", "knowledge.entity"),
            _list("Source types", "category", "knowledge.sourcetype"),
            _list("Runs", "sync", "knowledge.ingestionrun"),
        ),
    ),
    (
        "Ranking",
        (
            _list("Ranking profiles", "tune", "retrieval.rankingprofile"),
            _list("Synonyms", "translate", "retrieval.synonym"),
            _list("Intents", "target", "retrieval.intent"),
        ),
    ),
    (
        "Quality",
        (
            _list("Golden questions", "verified", "retrieval.goldenquestion"),
            _list("Judgements", "grading", "retrieval.judgement"),
            _list("Evaluations", "monitoring", "retrieval.evaluationrun"),
        ),
    ),
    (
        "Administration",
        (
            Link(
                title="Changes",
                icon="history_edu",
                name="changes",
                permission="knowledge.view_source",
            ),
            _list("API keys", "key", "knowledge.apikey"),
            _list("Users", "person", "auth.user"),
            _list("Roles", "group", "auth.group"),
            _list("Embedding models", "scatter_plot", "knowledge.embeddingspace"),
            _list("Queued tasks", "queue", "django_q.ormq", SUPERUSER),
            _list("Failed tasks", "error", "django_q.failure", SUPERUSER),
            _list("Schedules", "schedule", "django_q.schedule", SUPERUSER),
        ),
    ),
)


def find_pages(request: HttpRequest) -> HttpResponse:
    """Search the names of pages, as the theme does; a page of results that is none is not found."""
    try:
        found: HttpResponse = cast("Any", admin.site).search(request)
    except InvalidPage as error:
        raise Http404 from error
    return found


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of links that the user may follow, without empty groups."""
    groups = (
        {"title": title, "separator": True, "items": _entries(links, request.user)}
        for title, links in GROUPS
    )
    return [group for group in groups if group["items"]]


def _entries(links: Iterable[Link], user: Any) -> list[dict[str, Any]]:
    return [
        {"title": link.title, "icon": link.icon, "link": reverse(link.name)}
        for link in links
        if link.is_open_to(user)
    ]
