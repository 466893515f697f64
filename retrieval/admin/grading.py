"""Grades of the hits on "Try a question": one click each, and one to take it back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from crmind.exceptions import CRMindError
from knowledge.admin.readers import only_readable, reads_everything
from knowledge.models import Document
from retrieval.admin.people import curator_of
from retrieval.admin.preview_form import PreviewForm
from retrieval.models.golden import GRADES
from retrieval.query.moments import end_of
from retrieval.query.parse import clean_question
from retrieval.services import AskedQuestion, grade_document, grades_of, withdraw_grade

TEMPLATE = "admin/preview/grade.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeButton:
    """One grade to choose; `words` say what it means."""

    grade: int
    words: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Grading:
    """The grades of one document for the question of the page; `undo` is the grade before."""

    document_id: int
    address: str
    buttons: tuple[GradeButton, ...]
    is_graded: bool
    undo: str | None = None


def may_grade(user: Any) -> bool:
    """Return whether `user` may make, change and take back judgements."""
    return bool(
        user.has_perms(
            (
                "retrieval.add_judgement",
                "retrieval.change_judgement",
                "retrieval.delete_judgement",
                "retrieval.add_goldenquestion",
            )
        )
    )


def asked_question(form: PreviewForm) -> AskedQuestion:
    """Return the question of a valid form with what it is limited to."""
    values = form.cleaned_data
    filters = {
        "entity": str(values["entity"].pk) if values["entity"] else "",
        "sources": [values["sources"].name] if values["sources"] else [],
        "types": [values["types"].slug] if values["types"] else [],
        "since": values["since"].isoformat() if values["since"] else "",
        "until": values["until"].isoformat() if values["until"] else "",
    }
    as_of = values["as_of"]
    return AskedQuestion(
        text=clean_question(values["question"]),
        access_tags=form.reader_tags,
        filters={name: value for name, value in filters.items() if value},
        as_of=end_of(as_of, zone=timezone.get_current_timezone()) if as_of else None,
    )


def grading_of(
    document_id: int, grades: Mapping[int, int], *, address: str, undo: str | None = None
) -> Grading:
    """Return the buttons of one document; `address` is the query of the page they stand on."""
    chosen = grades.get(document_id)
    return Grading(
        document_id=document_id,
        address=address,
        buttons=tuple(
            GradeButton(grade=grade, words=words.partition(": ")[2], is_chosen=grade == chosen)
            for grade, words in GRADES.items()
        ),
        is_graded=chosen is not None,
        undo=undo,
    )


@require_POST
def grade(request: HttpRequest) -> HttpResponse:
    """Grade a hit of the page whose query is posted, or take its grade back (an empty grade)."""
    if not (request.user.has_perm("knowledge.view_document") and may_grade(request.user)):
        raise PermissionDenied
    address = request.POST.get("address", "")
    form = PreviewForm(QueryDict(address), reads_everything=reads_everything(request.user))
    if not form.is_valid():
        raise Http404
    document = _document(request)
    try:
        asked = asked_question(form)
        before = grades_of(asked).get(document.pk)
        _write(request, asked, document)
    except CRMindError as error:
        messages.error(request, error.message)
        return _back(request, address)
    if not request.headers.get("HX-Request"):
        messages.success(request, "The grade was kept." if _grade(request) else "Taken back.")
        return _back(request, address)
    undo = None if request.POST.get("is_undo") else str("" if before is None else before)
    grading = grading_of(document.pk, grades_of(asked), address=address, undo=undo)
    return TemplateResponse(request, TEMPLATE, {"grading": grading, "is_swapped": True})


def _write(request: HttpRequest, asked: AskedQuestion, document: Document) -> None:
    wanted = _grade(request)
    if not wanted:
        withdraw_grade(asked=asked, document=document)
        return
    number = int(wanted) if wanted.isdecimal() and len(wanted) == 1 else -1
    grade_document(asked=asked, document=document, grade=number, user=curator_of(request))


def _grade(request: HttpRequest) -> str:
    return request.POST.get("grade", "")


def _document(request: HttpRequest) -> Document:
    key = request.POST.get("document", "")
    readable = only_readable(Document.objects.all(), request.user)
    # Longer numbers are none that the database knows.
    found: Document | None = (
        readable.filter(pk=int(key)).first() if key.isdecimal() and len(key) <= 18 else None  # noqa: PLR2004
    )
    if found is None:
        raise Http404
    return found


def _back(request: HttpRequest, address: str) -> HttpResponse:
    page = f"{reverse('preview')}?{QueryDict(address).urlencode()}"
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Redirect": page})
    return HttpResponseRedirect(page)
