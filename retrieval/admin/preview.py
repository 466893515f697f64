"""The page "Try a question": what the assistant would get, and why in this order."""

import logging
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from crmind.exceptions import CRMindError, UnavailableError
from knowledge.admin.readers import reads_everything
from knowledge.embedding.registry import get_query_embedder
from knowledge.models import Document
from retrieval.admin.grading import asked_question, may_grade
from retrieval.admin.preview_form import PreviewForm
from retrieval.admin.preview_result import Column, Grades, column_of, side_by_side
from retrieval.models import GoldenQuestion
from retrieval.pipeline import answer
from retrieval.query.parse import build_query
from retrieval.ranking.profile import Profile
from retrieval.services import as_profile, get_profile, grades_of
from retrieval.why_not import WantedDocument, WhyNot, why_not

EXAMPLES = 6

logger = logging.getLogger(__name__)


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
    try:
        grades = _grades(request, form)
        columns = [_column(form, profile, grades) for profile in _profiles(form)]
    except CRMindError as error:
        form.refuse(error)
        return {}
    except OperationalError:
        logger.warning("preview: the database did not answer in time")
        form.refuse(UnavailableError("The search took too long. Narrow it down, or try again."))
        return {}
    return {
        "columns": side_by_side(columns),
        "is_compared": len(columns) > 1,
        "permalink": _permalink(request, columns),
        "as_of": columns[0].result.query.as_of,
    }


def _profiles(form: PreviewForm) -> list[Profile]:
    """Return the profile to rank by and, where one is named, that to compare it with."""
    chosen, other = form.cleaned_data["profile"], form.cleaned_data["against"]
    profiles = [as_profile(chosen) if chosen else get_profile()]
    return [*profiles, as_profile(other)] if other else profiles


def _grades(request: HttpRequest, form: PreviewForm) -> Grades | None:
    if not may_grade(request.user):
        return None
    return Grades(
        by_document=grades_of(asked_question(form)), address=request.GET.copy().urlencode()
    )


def _column(form: PreviewForm, profile: Profile, grades: Grades | None) -> Column:
    query = build_query(form.search_request(), reader_tags=form.reader_tags, now=timezone.now())
    result = answer(query, profile=profile, embedder=get_query_embedder())
    return column_of(result, profile=profile, absence=_absence(form, profile), grades=grades)


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


def _permalink(request: HttpRequest, columns: Sequence[Column]) -> str:
    """Return the address that gives this page again on a later day, while the documents stay."""
    parameters = request.GET.copy()
    moment = timezone.localtime(columns[0].result.query.as_of)
    parameters["as_of"] = moment.replace(tzinfo=None, microsecond=0).isoformat()
    parameters["profile"] = columns[0].profile.slug
    return request.build_absolute_uri(f"{request.path}?{parameters.urlencode()}")


def _examples(request: HttpRequest) -> list[str]:
    if not request.user.has_perm("retrieval.view_goldenquestion"):
        return []
    return list(GoldenQuestion.objects.order_by("id").values_list("text", flat=True)[:EXAMPLES])
