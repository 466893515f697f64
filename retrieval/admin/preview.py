"""The page "Try a question": what the assistant would get, and why in this order."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from crmind.exceptions import CRMindError, UnavailableError
from knowledge.admin.readers import reads_everything
from knowledge.embedding.registry import get_query_embedder
from knowledge.models import Document
from retrieval.admin.breakdown import Breakdown, describe_days, explain_hits
from retrieval.admin.highlight import mark_words
from retrieval.admin.preview_form import PreviewForm
from retrieval.explain import describe_duplicates
from retrieval.models import GoldenQuestion
from retrieval.pipeline import answer, build_context
from retrieval.query.parse import build_query
from retrieval.ranking.profile import Profile
from retrieval.services import as_profile, get_profile
from retrieval.types import Hit, SearchResult, Verdict
from retrieval.why_not import WantedDocument, WhyNot, why_not

EXAMPLES = 6

logger = logging.getLogger(__name__)

VERDICTS = {
    Verdict.ANSWERABLE: ("success", "The evidence suffices"),
    Verdict.WEAK: ("warning", "The evidence is weak"),
    Verdict.CONFLICTING: ("warning", "The evidence conflicts"),
    Verdict.NONE: ("danger", "There is no evidence"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHit:
    """A hit as the page shows it."""

    hit: Hit
    title: str
    text: SafeString
    headings: str
    age: str
    link: str
    document: str
    breakdown: Breakdown
    duplicates: str


@require_safe
def preview(request: HttpRequest) -> HttpResponse:
    """Answer the question in the address, or show the empty form."""
    if not request.user.has_perm("knowledge.view_document"):
        raise PermissionDenied
    is_asked = "question" in request.GET
    form = PreviewForm(
        request.GET if is_asked else None,
        initial=request.GET.dict(),
        reads_everything=reads_everything(request.user),
    )
    context = {
        **admin.site.each_context(request),
        "title": "Try a question",
        "form": form,
        "has_documents": Document.objects.exists(),
        **(_outcome(request, form) if is_asked and form.is_valid() else {}),
    }
    if not is_asked:
        context["examples"] = _examples(request)
    return TemplateResponse(request, "admin/preview.html", context)


def _outcome(request: HttpRequest, form: PreviewForm) -> dict[str, Any]:
    """Return what the page shows of the answer; nothing is logged, so looking changes nothing."""
    row = form.cleaned_data["profile"]
    try:
        profile = as_profile(row) if row else get_profile()
        query = build_query(form.search_request(), reader_tags=form.reader_tags, now=timezone.now())
        result = answer(query, profile=profile, embedder=get_query_embedder())
        absence = _absence(form, profile)
    except CRMindError as error:
        form.refuse(error)
        return {}
    except OperationalError:
        logger.warning("preview: the database did not answer in time")
        form.refuse(UnavailableError("The search took too long. Narrow it down, or try again."))
        return {}
    badge, verdict = VERDICTS[result.judgment.verdict]
    return {
        "result": result,
        "badge": badge,
        "verdict": verdict,
        "profile": profile,
        "hits": list(_shown(result)),
        "evidence": build_context(result, profile=profile),
        "absence": absence,
        "timings": [f"{stage} {time:.0f} ms" for stage, time in result.timings_ms.items()],
        "permalink": _permalink(request, result),
    }


def _absence(form: PreviewForm, profile: Profile) -> WhyNot | None:
    document = form.cleaned_data["why_not"]
    if document is None:
        return None
    return why_not(
        form.search_request(),
        WantedDocument(document_id=document.pk),
        reader_tags=form.reader_tags,
        now=timezone.now(),
        knows_all="access_tags" in form.fields,
        profile=profile,
    )


def _shown(result: SearchResult) -> Iterable[ShownHit]:
    for hit, breakdown in zip(result.hits, explain_hits(result.hits), strict=True):
        evidence = hit.evidence
        age = hit.receipt.age_days
        yield ShownHit(
            hit=hit,
            title=evidence.title or evidence.external_id,
            text=mark_words(evidence.text, result.query.question),
            headings=" / ".join(evidence.heading_path),
            age="" if age is None else f"{describe_days(age)} old",
            link=evidence.url if evidence.url.startswith(("http://", "https://")) else "",
            document=reverse("admin:knowledge_document_change", args=[evidence.document_id]),
            breakdown=breakdown,
            duplicates=describe_duplicates(hit.duplicates) if hit.duplicates else "",
        )


def _permalink(request: HttpRequest, result: SearchResult) -> str:
    """Return the address that gives this page again on a later day, while the documents stay."""
    parameters = request.GET.copy()
    moment = timezone.localtime(result.query.as_of)
    parameters["as_of"] = moment.replace(tzinfo=None, microsecond=0).isoformat()
    return request.build_absolute_uri(f"{request.path}?{parameters.urlencode()}")


def _examples(request: HttpRequest) -> list[str]:
    if not request.user.has_perm("retrieval.view_goldenquestion"):
        return []
    return list(GoldenQuestion.objects.order_by("id").values_list("text", flat=True)[:EXAMPLES])
