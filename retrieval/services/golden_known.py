"""What is known of the questions and documents that many lines name, read with few queries."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from django.utils import timezone

from knowledge.models import EVERYONE, Document
from retrieval.models import GoldenQuestion, Judgement
from retrieval.query.moments import end_of, parse_moment
from retrieval.services.golden import AskedQuestion, one_line

# The same comparison as `text__iexact`, for all texts at once; its index is on UPPER(text).
_BY_TEXTS = """
    SELECT * FROM retrieval_goldenquestion
    WHERE UPPER(text) = ANY (ARRAY(SELECT UPPER(unnest(%s::text[]))))
    ORDER BY id
"""


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
    def is_answerable(self) -> bool | None: ...
    @property
    def expected_answer(self) -> str: ...
    @property
    def as_of(self) -> str: ...
    @property
    def access_tags(self) -> tuple[str, ...]: ...
    @property
    def limits(self) -> Mapping[str, Any]: ...


class NamedDocuments:
    """The documents that lines name, found at once."""

    def __init__(self, lines: Iterable[Line], readable: Any) -> None:
        wanted = {name for line in lines if line.document for _, name in _spellings(line)}
        self._found: dict[str, list[Document]] = defaultdict(list)
        rows = readable.filter(external_id__in=wanted).select_related("source").order_by("pk")
        for document in rows.only("external_id", "title", "source__name"):
            self._found[document.external_id].append(document)

    def candidates(self, line: Line) -> Sequence[Document]:
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


class KnownQuestion:
    """A question as it is stored, or one that is new, and what lines say of it.

    `grades` are the stored judgements by document id; `judged` is what lines say by document id.
    """

    def __init__(self, row: GoldenQuestion) -> None:
        self.row = row
        self.is_named = False
        self.grades: dict[int, Judgement] = {}
        self.judged: dict[int, tuple[Document, int]] = {}
        self.stored_facts = self.facts

    @property
    def is_new(self) -> bool:
        """Whether it is not stored yet."""
        return self.row.pk is None

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of it beside its judgements."""
        return {
            "is_answerable": self.row.is_answerable,
            "expected_answer": self.row.expected_answer,
        }

    def learn(self, line: Line) -> bool:
        """Take over what a line knows of the question; return whether that is something else."""
        before = self.facts
        self.is_named = True
        if line.is_answerable is not None:
            self.row.is_answerable = line.is_answerable
        self.row.expected_answer = line.expected_answer or self.row.expected_answer
        return self.facts != before


class KnownQuestions:
    """The questions that lines ask, stored or new, with the stored judgements of each.

    With `is_locked` nobody else changes the stored ones until the transaction ends.
    """

    def __init__(self, lines: Iterable[Line], *, is_locked: bool) -> None:
        asked = {_identity(each): each for each in map(asked_by, lines)}
        self._known: dict[str, KnownQuestion] = {}
        for row in _stored(asked.values(), is_locked=is_locked):
            identity = _key(row.text, row.as_of, row.access_tags, row.filters)
            if identity in asked:
                self._known.setdefault(identity, KnownQuestion(row))
        for identity, each in asked.items():
            if identity not in self._known:
                self._known[identity] = KnownQuestion(_new(each))
        self._read_grades(is_locked=is_locked)

    def __iter__(self) -> Iterator[KnownQuestion]:
        return iter(self._known.values())

    def of(self, line: Line) -> KnownQuestion:
        """Return the question of a line."""
        return self._known[_identity(asked_by(line))]

    def _read_grades(self, *, is_locked: bool) -> None:
        stored = {each.row.pk: each for each in self if not each.is_new}
        rows = Judgement.objects.filter(question__in=stored).order_by("pk")
        for judgement in rows.select_for_update() if is_locked else rows:
            stored[judgement.question_id].grades[judgement.document_id] = judgement


def asked_by(line: Line) -> AskedQuestion:
    """Return the question of a line with its limits."""
    return AskedQuestion(
        text=line.question,
        access_tags=frozenset(line.access_tags) | {EVERYONE},
        filters=dict(line.limits),
        as_of=_instant(line.as_of),
    )


def _stored(asked: Iterable[AskedQuestion], *, is_locked: bool) -> Iterable[GoldenQuestion]:
    texts = sorted({one_line(each.text) for each in asked})
    return GoldenQuestion.objects.raw(_BY_TEXTS + ("FOR UPDATE" if is_locked else ""), [texts])


def _new(asked: AskedQuestion) -> GoldenQuestion:
    return GoldenQuestion(
        text=one_line(asked.text),
        filters=dict(asked.filters),
        access_tags=asked.own_tags,
        as_of=asked.as_of,
    )


def _identity(asked: AskedQuestion) -> str:
    return _key(one_line(asked.text), asked.as_of, asked.own_tags, asked.filters)


def _key(text: str, as_of: datetime | None, tags: Sequence[str], filters: Mapping[str, Any]) -> str:
    moment = as_of and as_of.timestamp()
    return repr((text.casefold(), moment, list(tags), sorted(filters.items())))


def _spellings(line: Line) -> list[tuple[str, str]]:
    """Return the readings, source and external id, of what a line names."""
    if line.source:
        return [(line.source, line.document)]
    source, slash, external_id = line.document.partition("/")
    return [("", line.document), *([(source, external_id)] if slash else [])]


def _instant(text: str) -> datetime | None:
    if not text:
        return None
    return end_of(parse_moment(text, field="as_of"), zone=timezone.get_current_timezone())
