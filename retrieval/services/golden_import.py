"""Takes lines into the golden set; what they would do is told before."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from crmind.exceptions import ConflictError
from knowledge.history import acting_as, describe, record_many
from retrieval.models import GoldenQuestion, Judgement
from retrieval.services.golden import lock_golden_set
from retrieval.services.golden_known import KnownQuestion, KnownQuestions, Line, NamedDocuments

ROWS_AT_ONCE = 1_000
FACTS = ("is_answerable", "expected_answer")


class ImportEffect(StrEnum):
    """What a line does."""

    NEW_QUESTION = "new question"
    CHANGED_QUESTION = "changes the question"
    NEW = "new judgement"
    CHANGED = "changes the grade"
    SAME = "nothing new"
    FAULTY = "cannot be taken in"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedLine:
    """One line with what it does, or why it cannot be taken in."""

    place: str
    question: str
    document: str
    grade: int | None
    effect: ImportEffect
    message: str = ""


def plan_import(lines: Sequence[Line], *, readable: Any) -> list[ImportedLine]:
    """Return what each line would do. `readable` are the documents the person may judge."""
    return _plan(lines, KnownQuestions(lines, is_locked=False), readable)


def import_lines(lines: Sequence[Line], *, readable: Any, user: User | None) -> Counter[str]:
    """Take in the lines that can be; return how many did what.

    Raises ConflictError if what the lines name was changed under way; nothing is written then.
    """
    try:
        return _import(lines, readable=readable, user=user)
    except IntegrityError as error:
        message = "A document or question was changed meanwhile. Look at the file again."
        raise ConflictError(message) from error


@transaction.atomic
def _import(lines: Sequence[Line], *, readable: Any, user: User | None) -> Counter[str]:
    lock_golden_set()
    questions = KnownQuestions(lines, is_locked=True)
    planned = _plan(lines, questions, readable)
    named = [each for each in questions if each.is_named]
    with acting_as(user):
        _write_questions(named, user)
        _write_judgements(named, user)
    # A document that was deleted meanwhile is told of now, not when the transaction ends.
    connection.check_constraints()
    return Counter(each.effect.value for each in planned)


def _plan(lines: Sequence[Line], questions: KnownQuestions, readable: Any) -> list[ImportedLine]:
    """Return what each line does; the questions keep what is to be written."""
    documents = NamedDocuments(lines, readable)
    planned = []
    for line in lines:
        effect, message = _effect_of(line, questions.of(line), documents)
        planned.append(
            ImportedLine(
                place=line.place,
                question=line.question,
                document=line.document,
                grade=line.grade,
                effect=effect,
                message=message,
            )
        )
    return planned


def _effect_of(
    line: Line, question: KnownQuestion, documents: NamedDocuments
) -> tuple[ImportEffect, str]:
    if line.document:
        return _effect_of_judgement(line, question, documents)
    is_first = not question.is_named
    is_changed = question.learn(line)
    if question.is_new and is_first:
        return ImportEffect.NEW_QUESTION, ""
    return (ImportEffect.CHANGED_QUESTION if is_changed else ImportEffect.SAME), ""


def _effect_of_judgement(
    line: Line, question: KnownQuestion, documents: NamedDocuments
) -> tuple[ImportEffect, str]:
    found = documents.candidates(line)
    if len(found) != 1 or line.grade is None:
        return ImportEffect.FAULTY, _not_found(line, len(found))
    document = found[0]
    if document.pk in question.judged:
        return ImportEffect.FAULTY, "The same question and document stand in an earlier line."
    question.judged[document.pk] = (document, line.grade)
    is_changed = question.learn(line)
    former = question.grades.get(document.pk)
    if former is None:
        return ImportEffect.NEW, "of a new question" if question.is_new else ""
    if former.grade != line.grade:
        return ImportEffect.CHANGED, f"from {former.grade} to {line.grade}"
    return (ImportEffect.CHANGED_QUESTION if is_changed else ImportEffect.SAME), ""


def _not_found(line: Line, count: int) -> str:
    if count:
        return f"Several sources have a document {line.document!r}; name the source too."
    where = f" in the source {line.source!r}" if line.source else ""
    return f"There is no document {line.document!r}{where}."


def _write_questions(named: Sequence[KnownQuestion], user: User | None) -> None:
    changed = [each for each in named if not each.is_new and each.facts != each.stored_facts]
    new = [each.row for each in named if each.is_new]
    for row in new:
        row.created_by = user
    GoldenQuestion.objects.bulk_create(new, batch_size=ROWS_AT_ONCE)
    record_many(new)
    rows = [each.row for each in changed]
    GoldenQuestion.objects.bulk_update(rows, FACTS, batch_size=ROWS_AT_ONCE)
    record_many(rows, changes={each.row.pk: _changes_of(each) for each in changed})


def _changes_of(question: KnownQuestion) -> list[Any]:
    return [
        describe(GoldenQuestion._meta.get_field(name), former, question.facts[name])  # noqa: SLF001 # documented
        for name, former in question.stored_facts.items()
        if former != question.facts[name]
    ]


def _write_judgements(named: Sequence[KnownQuestion], user: User | None) -> None:
    new, changed, changes = [], [], {}
    field = Judgement._meta.get_field("grade")  # noqa: SLF001 # documented
    for question in named:
        for key, (document, grade) in question.judged.items():
            row = question.grades.get(key)
            if row is None:
                made = {"question": question.row, "document": document, "created_by": user}
                new.append(Judgement(grade=grade, **made))
            elif row.grade != grade:
                changes[row.pk] = [describe(field, row.grade, grade)]
                row.question, row.document, row.grade = question.row, document, grade
                changed.append(row)
    Judgement.objects.bulk_create(new, batch_size=ROWS_AT_ONCE)
    record_many(new)
    Judgement.objects.bulk_update(changed, ["grade"], batch_size=ROWS_AT_ONCE)
    record_many(changed, changes=changes)
