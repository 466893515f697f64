"""Takes lines into the golden set; what they would do is told before."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from knowledge.models import EVERYONE, Document
from retrieval.models import GoldenQuestion, Judgement
from retrieval.query.moments import end_of, parse_moment
from retrieval.services.golden import (
    AskedQuestion,
    find_question,
    lock_golden_set,
    save_judgement,
    save_question,
    set_grade,
)


class Line(Protocol):
    """A line as files hold it."""

    @property
    def place(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def document(self) -> str: ...
    @property
    def grade(self) -> int | None: ...
    @property
    def is_answerable(self) -> bool: ...
    @property
    def expected_answer(self) -> str: ...
    @property
    def as_of(self) -> str: ...
    @property
    def access_tags(self) -> tuple[str, ...]: ...
    @property
    def limits(self) -> Mapping[str, Any]: ...


class ImportEffect(StrEnum):
    """What a line does."""

    NEW_QUESTION = "new question"
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
    documents, known = _Documents(lines, readable), _Known()
    return [_planned(line, documents, known) for line in lines]


@transaction.atomic
def import_lines(lines: Sequence[Line], *, readable: Any, user: User | None) -> Counter[str]:
    """Take in the lines that can be; return how many did what."""
    lock_golden_set()
    documents, known = _Documents(lines, readable), _Known()
    counts: Counter[str] = Counter()
    for line in lines:
        planned = _planned(line, documents, known)
        counts[planned.effect.value] += 1
        if planned.effect not in (ImportEffect.FAULTY, ImportEffect.SAME):
            known.keep(line, _take_in(line, documents.find(line), known, user))
    return counts


class _Documents:
    """The documents that lines name, found at once."""

    def __init__(self, lines: Iterable[Line], readable: Any) -> None:
        wanted = {name for line in lines if line.document for name in _spellings(line)}
        self._found: dict[str, list[Document]] = defaultdict(list)
        rows = readable.filter(external_id__in={external_id for _, external_id in wanted})
        for document in rows.select_related("source").order_by("pk"):
            self._found[document.external_id].append(document)

    def find(self, line: Line) -> Document | None:
        """Return the one document a line names, None for none or several."""
        found = self.candidates(line)
        return found[0] if len(found) == 1 else None

    def candidates(self, line: Line) -> list[Document]:
        """Return the documents a line may mean; one that also names the source goes first."""
        by_source = [
            document
            for source, external_id in _spellings(line)
            for document in self._found.get(external_id, ())
            if source and document.source.name.casefold() == source.casefold()
        ]
        if by_source or line.source:
            return by_source[:1]
        return self._found.get(line.document, [])


def _spellings(line: Line) -> list[tuple[str, str]]:
    """Return the readings, source and external id, of what a line names."""
    if line.source:
        return [(line.source, line.document)]
    source, slash, external_id = line.document.partition("/")
    return [("", line.document), *([(source, external_id)] if slash else [])]


class _Known:
    """What is known of questions before the file, each looked up once, and which lines came by."""

    def __init__(self) -> None:
        self._questions: dict[str, tuple[GoldenQuestion | None, dict[int, int]]] = {}
        self._judged: set[tuple[str, int]] = set()

    def look_up(self, line: Line) -> tuple[GoldenQuestion | None, dict[int, int], bool]:
        """Return the question, its grades by document, and whether no line named it before."""
        key = _identity(line)
        is_first = key not in self._questions
        if is_first:
            question = find_question(asked_by(line))
            grades = (
                dict(question.judgements.values_list("document_id", "grade")) if question else {}
            )
            self._questions[key] = (question, grades)
        return (*self._questions[key], is_first)

    def keep(self, line: Line, question: GoldenQuestion) -> None:
        """Note the question that a line made."""
        _, grades = self._questions[_identity(line)]
        self._questions[_identity(line)] = (question, grades)

    def is_repeated(self, line: Line, document: Document) -> bool:
        """Return whether an earlier line judged the document for the question; note that it is."""
        judged = (_identity(line), document.pk)
        was_there = judged in self._judged
        self._judged.add(judged)
        return was_there


def _identity(line: Line) -> str:
    asked = asked_by(line)
    text = " ".join(line.question.split()).casefold()
    return repr((text, asked.as_of, asked.own_tags, sorted(line.limits.items())))


def _planned(line: Line, documents: _Documents, known: _Known) -> ImportedLine:
    effect, message = (
        _effect_of_judgement(line, documents, known)
        if line.document
        else _effect_of_question(line, known)
    )
    return ImportedLine(
        place=line.place,
        question=line.question,
        document=line.document,
        grade=line.grade,
        effect=effect,
        message=message,
    )


def _effect_of_question(line: Line, known: _Known) -> tuple[ImportEffect, str]:
    question, _, is_first = known.look_up(line)
    if question is None:
        return (ImportEffect.NEW_QUESTION if is_first else ImportEffect.SAME), ""
    is_changed = question.is_answerable is not line.is_answerable or (
        bool(line.expected_answer) and question.expected_answer != line.expected_answer
    )
    if is_changed:
        return ImportEffect.NEW_QUESTION, "changes what is known of it"
    return ImportEffect.SAME, ""


def _effect_of_judgement(
    line: Line, documents: _Documents, known: _Known
) -> tuple[ImportEffect, str]:
    found = documents.candidates(line)
    if len(found) != 1:
        return ImportEffect.FAULTY, _not_found(line, len(found))
    question, grades, _ = known.look_up(line)
    if known.is_repeated(line, found[0]):
        return ImportEffect.FAULTY, "The same question and document stand in an earlier line."
    former = grades.get(found[0].pk)
    if former == line.grade:
        return ImportEffect.SAME, ""
    if former is not None:
        return ImportEffect.CHANGED, f"from {former} to {line.grade}"
    return ImportEffect.NEW, "" if question else "of a new question"


def _not_found(line: Line, count: int) -> str:
    if count:
        return f"Several sources have a document {line.document!r}; name the source too."
    where = f" in the source {line.source!r}" if line.source else ""
    return f"There is no document {line.document!r}{where}."


def _take_in(
    line: Line, document: Document | None, known: _Known, user: User | None
) -> GoldenQuestion:
    question, grades, _ = known.look_up(line)
    question = _with_facts(line, question, user)
    if document is not None and line.grade is not None:
        if document.pk in grades:
            set_grade(question=question, document=document, grade=line.grade, user=user)
        else:
            judgement = Judgement(question=question, document=document, grade=line.grade)
            save_judgement(judgement=judgement, user=user)
    return question


def _with_facts(line: Line, question: GoldenQuestion | None, user: User | None) -> GoldenQuestion:
    """Return the question with what the line knows of it, saved where that is new."""
    asked = asked_by(line)
    current = question or GoldenQuestion(
        text=asked.text,
        filters=dict(asked.filters),
        access_tags=asked.own_tags,
        as_of=asked.as_of,
    )
    answer = line.expected_answer or current.expected_answer
    facts = (line.is_answerable, answer)
    if question is not None and (question.is_answerable, question.expected_answer) == facts:
        return question
    current.is_answerable, current.expected_answer = facts
    return save_question(question=current, user=user)


def asked_by(line: Line) -> AskedQuestion:
    """Return the question of a line with its limits."""
    return AskedQuestion(
        text=line.question,
        access_tags=frozenset(line.access_tags) | {EVERYONE},
        filters=dict(line.limits),
        as_of=_instant(line.as_of),
    )


def _instant(text: str) -> datetime | None:
    if not text:
        return None
    return end_of(parse_moment(text, field="as_of"), zone=timezone.get_current_timezone())
