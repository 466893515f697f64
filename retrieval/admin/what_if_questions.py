"""The questions that "What would this change?" asks, and what comes out."""

from itertools import chain, zip_longest
from time import perf_counter
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils import timezone
from unfold.widgets import UnfoldAdminTextInputWidget

from knowledge.admin.readers import reads_everything
from knowledge.embedding.registry import get_embedder
from knowledge.models import EVERYONE
from retrieval.admin.what_if_page import describe_outcome
from retrieval.conf import retrieval_settings
from retrieval.evaluation.golden import GoldenCase, load_cases
from retrieval.evaluation.recent import load_recent, typed_case
from retrieval.evaluation.what_if import Proposal, what_if


class QuestionForm(forms.Form):
    """A question of one's own to look at."""

    question = forms.CharField(
        required=False,
        label="Your question",
        help_text="Empty: the golden set and the questions people asked lately.",
        widget=UnfoldAdminTextInputWidget,
    )


def rehearse(request: HttpRequest, proposal: Proposal, question: str) -> dict[str, Any]:
    """Return what a proposal would do to a question, or to those that are kept. Raises CRMindError.

    Golden questions and those that people asked take turns, so that both are heard in short time.
    """
    began = perf_counter()
    cases, origins, notes = _cases(request, question)
    result = what_if(proposal, cases, embedder=get_embedder(), began=began)
    return describe_outcome(result, origins, notes=notes, profile=proposal.before)


def _cases(
    request: HttpRequest, question: str
) -> tuple[list[GoldenCase], dict[str, str], list[str]]:
    """Return the questions to ask, where each is from, and what is left out beforehand."""
    settings, now = retrieval_settings(), timezone.now()
    reads_all = reads_everything(request.user)
    if question.strip():
        typed = typed_case(question, tags=frozenset({EVERYONE}), now=now)
        return [typed], {typed.key: "typed in"}, []
    golden = load_cases(now=now, limit=settings.most_golden_questions)
    allowed = [
        case
        for case in golden.cases
        if reads_all or case.query.filters.access_tags == frozenset({EVERYONE})
    ]
    recent = []
    if request.user.has_perm("retrieval.view_searchlog"):
        recent = load_recent(limit=settings.what_if_questions, now=now, reads_everything=reads_all)
    notes = [*golden.notes, *_unheard(request)]
    origins = {case.key: "golden set" for case in allowed}
    origins |= {case.key: "asked lately" for case in recent}
    in_turns = chain.from_iterable(zip_longest(allowed, recent))
    return [case for case in in_turns if case is not None], origins, notes


def _unheard(request: HttpRequest) -> list[str]:
    """Say why questions that people ask cannot be asked again, where that is so."""
    settings = retrieval_settings()
    if not settings.is_search_logged or settings.search_log_questions != "plain":
        return ["What people ask is not kept in words here."]
    if not request.user.has_perm("retrieval.view_searchlog"):
        return ["Your role does not see what people ask."]
    return []
