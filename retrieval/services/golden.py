"""Writes of the golden set: questions and how well documents answer them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction

from crmind.exceptions import InvalidInputError
from knowledge.models import EVERYONE, Document
from knowledge.services.validation import save_validated
from retrieval.models import GoldenQuestion, Judgement
from retrieval.models.golden import GRADES

# Two curators who grade a new question at once make one question of it.
_LOCK = 7_731_004


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question with what it is limited to: the same words under other limits are another one.

    `filters` are named as search requests name them; `access_tags` are those of the reader.
    """

    text: str
    access_tags: frozenset[str] = frozenset({EVERYONE})
    filters: Mapping[str, Any] = field(default_factory=dict)
    as_of: datetime | None = None

    @property
    def own_tags(self) -> list[str]:
        """The tags beside the one that all readers hold, in order."""
        return sorted(self.access_tags - {EVERYONE})


def find_question(asked: AskedQuestion) -> GoldenQuestion | None:
    """Return the golden question with those words and limits, if there is one."""
    moment: dict[str, Any] = {"as_of": asked.as_of} if asked.as_of else {"as_of__isnull": True}
    same = GoldenQuestion.objects.filter(
        text__iexact=one_line(asked.text),
        filters=dict(asked.filters),
        access_tags=asked.own_tags,
        **moment,
    )
    return same.order_by("pk").first()


def grades_of(asked: AskedQuestion) -> dict[int, int]:
    """Return the grade by document id that the question has."""
    question = find_question(asked)
    if question is None:
        return {}
    return dict(question.judgements.values_list("document_id", "grade"))


def lock_golden_set() -> None:
    """Let others add questions only after this transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


@transaction.atomic
def grade_document(
    *, asked: AskedQuestion, document: Document, grade: int, user: User | None
) -> Judgement:
    """Judge a document for a question, which becomes a golden one if it is none yet.

    Raises InvalidInputError for a grade that does not exist.
    """
    _check_grade(grade)
    lock_golden_set()
    question = find_question(asked)
    if question is None:
        question = save_question(
            question=GoldenQuestion(
                text=asked.text,
                filters=dict(asked.filters),
                access_tags=asked.own_tags,
                as_of=asked.as_of,
            ),
            user=user,
        )
    return set_grade(question=question, document=document, grade=grade, user=user)


@transaction.atomic
def withdraw_grade(*, asked: AskedQuestion, document: Document) -> bool:
    """Take back what `grade_document` did; return whether there was a grade.

    A question that nothing else is known of goes with its last judgement.
    """
    question = find_question(asked)
    judgement = question and question.judgements.filter(document=document).first()
    if not (question and judgement):
        return False
    remove_judgement(judgement=judgement)
    is_bare = question.is_answerable and not question.expected_answer
    if is_bare and not question.judgements.exists():
        question.delete()
    return True


@transaction.atomic(savepoint=False)
def set_grade(
    *, question: GoldenQuestion, document: Document, grade: int, user: User | None
) -> Judgement:
    """Judge a document for a golden question, or change the judgement."""
    _check_grade(grade)
    judgement = Judgement.objects.filter(question=question, document=document).first()
    judgement = judgement or Judgement(question=question, document=document)
    judgement.grade = grade
    return save_judgement(judgement=judgement, user=user)


@transaction.atomic(savepoint=False)
def save_judgement(*, judgement: Judgement, user: User | None) -> Judgement:
    """Save a judgement, made by `user` unless somebody made it before. Raises InvalidInputError."""
    judgement.created_by = judgement.created_by or user
    save_validated(judgement)
    return judgement


def remove_judgement(*, judgement: Judgement) -> None:
    """Delete a judgement."""
    judgement.delete()


@transaction.atomic(savepoint=False)
def save_question(*, question: GoldenQuestion, user: User | None) -> GoldenQuestion:
    """Save a golden question. Raises InvalidInputError naming the field."""
    question.text = one_line(question.text)
    if question._state.adding:  # noqa: SLF001 # documented
        question.created_by = question.created_by or user
    save_validated(question)
    return question


def one_line(text: str) -> str:
    """Return the text as golden questions are kept: on one line."""
    return " ".join(text.split())


def _check_grade(grade: int) -> None:
    if grade not in GRADES:
        message = f"grade: {grade} is no grade. Use one of {', '.join(map(str, GRADES))}."
        raise InvalidInputError(message, field="grade")
