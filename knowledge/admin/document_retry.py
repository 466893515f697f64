"""Trying failed documents again: one from its page, many from the list."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from crmind.exceptions import CRMindError
from knowledge.services.retrying import Retries
from knowledge.tasks import retry_documents

NONE_FAILED = "None of the chosen documents failed or needs attention: nothing to try again."
NAMED_RUNS = 10


def retry_chosen(request: HttpRequest, documents: Any) -> Retries | None:
    """Start the runs that try the failed ones among `documents` again, and tell so.

    None if there is nothing to try, or it was refused.
    """
    keys = list(documents.failing().values_list("pk", flat=True))
    if not keys:
        messages.warning(request, NONE_FAILED)
        return None
    try:
        retries = retry_documents(keys, user_id=request.user.pk)
    except CRMindError as error:
        messages.error(request, error.message)
        return None
    _tell(request, retries, count=len(keys) - len(retries.left_out))
    if spared := documents.count() - len(keys):
        messages.info(request, f"Left as they are, because they did not fail: {spared}.")
    return retries


def _tell(request: HttpRequest, retries: Retries, *, count: int) -> None:
    links = format_html_join(
        ", ",
        '<a href="{}" class="underline">run {}</a>',
        (
            (reverse("admin:knowledge_ingestionrun_change", args=[run.pk]), run.pk)
            for run in retries.runs[:NAMED_RUNS]
        ),
    )
    noun = "document" if count == 1 else "documents"
    messages.success(request, format_html("Tried again: {} {}, by {}.", count, noun, links))
    if retries.refusal:
        messages.warning(request, retries.refusal)
