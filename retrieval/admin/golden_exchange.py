"""Import and export of the golden set: a file in, what it would do, then yes or no."""

import io
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe
from unfold.widgets import UnfoldAdminFileFieldWidget

from crmind.exceptions import CRMindError, InvalidInputError
from knowledge.admin.readers import only_readable
from knowledge.models import Document
from retrieval.admin.grading import may_grade
from retrieval.admin.people import curator_of
from retrieval.evaluation.golden_files import (
    MOST_LINES,
    QRELS,
    QUERIES,
    GoldenFile,
    GoldenLine,
    read_beir,
    read_csv,
    write_beir,
    write_csv,
)
from retrieval.models import GoldenQuestion, Judgement
from retrieval.services.golden_import import (
    ImportedLine,
    ImportEffect,
    import_lines,
    plan_import,
)

LAYOUTS = frozenset({"csv", "beir"})
MOST_BYTES = 10 * 1024 * 1024
SHOWN_LINES = 300
SALT = "golden-import"
BADGES = {
    ImportEffect.NEW_QUESTION: "success",
    ImportEffect.CHANGED_QUESTION: "info",
    ImportEffect.NEW: "success",
    ImportEffect.CHANGED: "info",
    ImportEffect.SAME: "default",
    ImportEffect.FAULTY: "danger",
}


class ImportForm(forms.Form):
    """One CSV file, or the two files of a set in BEIR layout."""

    file = forms.FileField(
        required=False,
        label="CSV file",
        help_text=(
            "Needs the column question; document and grade for a judgement. At most"
            f" {MOST_LINES:,} lines and {MOST_BYTES // 1024 // 1024} MB."
        ),
        widget=UnfoldAdminFileFieldWidget,
    )
    queries = forms.FileField(
        required=False,
        label=f"or {QUERIES}",
        help_text="Questions in BEIR layout; together with the judgements beside.",
        widget=UnfoldAdminFileFieldWidget,
    )
    qrels = forms.FileField(
        required=False,
        label=f"and {QRELS}",
        help_text="Columns query-id, corpus-id and score, with tabs between them.",
        widget=UnfoldAdminFileFieldWidget,
    )

    def clean(self) -> dict[str, str]:
        """Return the texts of the files. Refuse what is none or does not belong together."""
        cleaned = super().clean() or {}
        texts: dict[str, str] = {}
        for name in ("file", "queries", "qrels"):
            try:
                texts[name] = _text_of(cleaned.get(name))
            except InvalidInputError as error:
                self.add_error(name, error.message)
        if self.errors:
            return texts
        if not (texts["file"] or texts["queries"]):
            self.add_error("file", "Choose a file that is not empty.")
        elif texts["queries"] and not texts["qrels"]:
            self.add_error("qrels", f"{QUERIES} goes together with {QRELS}.")
        return texts


def import_golden(request: HttpRequest) -> HttpResponse:
    """Take a file, show line by line what it would do, and do it once that is confirmed."""
    if not may_grade(request.user):
        raise PermissionDenied
    if request.method != "POST":
        return _page(request, ImportForm())
    form = ImportForm(request.POST, request.FILES)
    try:
        if "kept" in request.POST:
            return _take_in(request, _read(_shown(request)))
        if not form.is_valid():
            return _page(request, form)
        return _page(request, form, plan=_plan(request, _read(form.cleaned_data)))
    except CRMindError as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return _page(request, form)


@require_safe
def export_golden(request: HttpRequest, layout: str) -> HttpResponse:
    """Download the golden set, without documents the person may not read."""
    if not request.user.has_perms(("retrieval.view_goldenquestion", "retrieval.view_judgement")):
        raise PermissionDenied
    if layout not in LAYOUTS:
        raise Http404
    lines = _lines(request)
    if layout == "csv":
        response = HttpResponse(write_csv(lines), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="golden-set.csv"'
        return response
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in write_beir(lines).items():
            archive.writestr(name, text)
    response = HttpResponse(out.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = 'attachment; filename="golden-set.zip"'
    return response


def _shown(request: HttpRequest) -> dict[str, str]:
    """Return the texts that were looked at; the page keeps them signed, and small."""
    try:
        texts: dict[str, str] = signing.loads(request.POST["kept"], salt=SALT)
    except signing.BadSignature as error:
        message = "What you looked at did not arrive as it was. Choose the file again."
        raise InvalidInputError(message) from error
    return texts


def _read(texts: Mapping[str, str]) -> GoldenFile:
    if texts["queries"]:
        return read_beir(texts["queries"], texts["qrels"])
    return read_csv(texts["file"])


def _plan(request: HttpRequest, read: GoldenFile) -> dict[str, Any]:
    planned = plan_import(read.lines, readable=_readable(request))
    faulty = [
        ImportedLine(
            place=fault.place,
            question="",
            document="",
            grade=None,
            effect=ImportEffect.FAULTY,
            message=fault.message,
        )
        for fault in read.faults
    ]
    # What has to be mended first; the rest as it stands in the file.
    rows = sorted([*planned, *faulty], key=lambda row: row.effect is not ImportEffect.FAULTY)
    counts = Counter(row.effect for row in rows)
    return {
        "rows": [
            {
                "line": row,
                "badge": BADGES[row.effect],
                "is_faulty": row.effect is ImportEffect.FAULTY,
            }
            for row in rows[:SHOWN_LINES]
        ],
        "left_out": max(0, len(rows) - SHOWN_LINES),
        "counts": {effect.value: counts[effect] for effect in ImportEffect if counts[effect]},
        "faulty": counts[ImportEffect.FAULTY],
        "useful": len(rows) - counts[ImportEffect.FAULTY] - counts[ImportEffect.SAME],
    }


def _take_in(request: HttpRequest, read: GoldenFile) -> HttpResponse:
    counts = import_lines(read.lines, readable=_readable(request), user=curator_of(request))
    counts[ImportEffect.FAULTY.value] += len(read.faults)
    told = ", ".join(f"{effect}: {counts[effect]:,}" for effect in ImportEffect if counts[effect])
    messages.success(request, f"The file was taken in ({told or 'nothing'}).")
    return HttpResponseRedirect(reverse("admin:retrieval_judgement_changelist"))


def _page(
    request: HttpRequest,
    form: ImportForm,
    *,
    plan: dict[str, Any] | None = None,
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": "Import judgements",
        "form": form,
        "plan": plan,
        "kept": plan and signing.dumps(form.cleaned_data, salt=SALT, compress=True),
    }
    return TemplateResponse(request, "admin/golden_import.html", context)


def _readable(request: HttpRequest) -> Any:
    return only_readable(Document.objects.all(), request.user)


def _lines(request: HttpRequest) -> Iterator[GoldenLine]:
    judgements = only_readable(
        Judgement.objects.order_by("pk"), request.user, field="document"
    ).values_list("question_id", "document__source__name", "document__external_id", "grade")
    judged: dict[int, list[tuple[str, str, int]]] = defaultdict(list)
    for question_id, *judgement in judgements.iterator():
        judged[question_id].append(tuple(judgement))
    for question in GoldenQuestion.objects.order_by("pk").iterator():
        known: dict[str, Any] = {
            "question": question.text,
            "is_answerable": question.is_answerable,
            "expected_answer": question.expected_answer,
            "as_of": question.as_of.isoformat() if question.as_of else "",
            "access_tags": tuple(question.access_tags),
            "limits": question.filters,
        }
        for source, document, grade in judged[question.pk]:
            yield GoldenLine(place="", source=source, document=document, grade=grade, **known)
        if not judged[question.pk]:
            yield GoldenLine(place="", **known)


def _text_of(upload: Any) -> str:
    if upload is None:
        return ""
    if upload.size > MOST_BYTES:
        message = f"The file is larger than {MOST_BYTES // 1024 // 1024} MB. Split it."
        raise InvalidInputError(message)
    try:
        text: str = upload.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = "The file is not UTF-8. Save it as “CSV UTF-8”."
        raise InvalidInputError(message) from error
    if "\0" in text:
        message = "The file holds NUL characters: it is no text."
        raise InvalidInputError(message)
    return text
