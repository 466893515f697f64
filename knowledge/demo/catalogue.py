"""The demo knowledge base as values: its sources, entities and judged questions."""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from knowledge.demo.records import InvalidCatalogueError, Record, as_record, read_yaml

DEMO_ROOT = Path(__file__).resolve().parent
FULL_ANSWER = 3
ENTITY_KINDS = frozenset({"company", "person", "deal", "product"})
QUESTION_KINDS = frozenset(
    {"fact", "latest", "identifier", "comparison", "restricted", "untrusted", "unanswerable"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoEntity:
    """An entity of the demo; `parent` is the external id of another one, or empty."""

    kind: str
    name: str
    external_id: str
    aliases: tuple[str, ...] = ()
    parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSource:
    """A source of the demo.

    `path` is a folder (each file below it is a document) or an export (each row is one), whose
    columns `mapping` names by field. `authority` None takes the authority of the type.
    """

    name: str
    type: str
    path: Path
    trust: float
    authority: float | None = None
    access_tags: tuple[str, ...] = ("everyone",)
    mapping: Mapping[str, str] = field(default_factory=dict)
    language: str = "english"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoJudgement:
    """How well a document, `<source name>/<external id>`, answers: 3 fully, 1 barely."""

    document: str
    grade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoQuestion:
    """A question with the documents that answer it.

    A document of grade 3 has to rank above all of `outranked`; none of `forbidden` may appear.
    `entity` is an external id, `type` the slug of a source type; both empty: no filter.
    """

    id: str
    kind: str
    text: str
    answer: str
    answerable: bool = True
    entity: str = ""
    type: str = ""
    since: date | None = None
    until: date | None = None
    tags: tuple[str, ...] = ("everyone",)
    judgements: tuple[DemoJudgement, ...] = ()
    outranked: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """Every document the question names."""
        return (*(each.document for each in self.judgements), *self.outranked, *self.forbidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCatalogue:
    """Everything the demo consists of; `as_of` is the day its questions are asked."""

    as_of: date
    entities: tuple[DemoEntity, ...]
    sources: tuple[DemoSource, ...]
    questions: tuple[DemoQuestion, ...]


def load_catalogue(root: Path = DEMO_ROOT) -> DemoCatalogue:
    """Read `manifest.yaml` and `questions.yaml` below `root`. Raises InvalidCatalogueError."""
    manifest = as_record(read_yaml(root / "manifest.yaml"), where="manifest.yaml")
    manifest.refuse_unknown({"as_of", "entities", "sources"})
    as_of = manifest.day("as_of")
    if as_of is None:
        manifest.refuse("'as_of' is missing")
    asked = as_record(read_yaml(root / "questions.yaml"), where="questions.yaml")
    asked.refuse_unknown({"questions"})
    catalogue = DemoCatalogue(
        as_of=as_of,
        entities=tuple(_read_entity(row) for row in manifest.records("entities")),
        sources=tuple(_read_source(row, root=root) for row in manifest.records("sources")),
        questions=tuple(_read_question(row) for row in asked.records("questions")),
    )
    problem = next(_find_problems(catalogue), "")
    if problem:
        raise InvalidCatalogueError(problem + ".")
    return catalogue


def find_documents(source: DemoSource) -> tuple[str, ...]:
    """Return `<source name>/<external id>` of every document of `source`, sorted."""
    if source.path.is_dir():
        files = (path for path in source.path.rglob("*") if path.is_file())
        ids = [path.relative_to(source.path).as_posix() for path in files]
    else:
        column = source.mapping["external_id"]
        ids = [row[column] for row in _read_export(source.path, columns={column})]
    return tuple(sorted(f"{source.name}/{external_id}" for external_id in ids))


def _read_entity(row: Record) -> DemoEntity:
    row.refuse_unknown({"kind", "name", "external_id", "aliases", "parent"})
    return DemoEntity(
        kind=row.choice("kind", ENTITY_KINDS),
        name=row.text("name"),
        external_id=row.text("external_id"),
        aliases=row.texts("aliases"),
        parent=row.text("parent", ""),
    )


def _read_source(row: Record, *, root: Path) -> DemoSource:
    row.refuse_unknown(
        {"name", "type", "path", "trust", "authority", "access_tags", "mapping", "language"}
    )
    path = root / row.text("path")
    if not path.exists():
        row.refuse(f"'path' names nothing: {row.text('path')}")
    mapping = row.record("mapping")
    if path.is_file() and "external_id" not in mapping.values:
        row.refuse("'mapping' must name the column of external_id")
    access_tags = row.texts("access_tags", ("everyone",))
    if not access_tags:
        row.refuse("'access_tags' is empty; nobody could read the source")
    return DemoSource(
        name=row.text("name"),
        type=row.text("type"),
        path=path,
        trust=row.share("trust"),
        authority=None if row.values.get("authority") is None else row.share("authority"),
        access_tags=access_tags,
        mapping={key: mapping.text(key) for key in mapping.values},
        language=row.text("language", "english"),
    )


def _read_question(row: Record) -> DemoQuestion:
    row.refuse_unknown(
        {"id", "kind", "text", "answer", "answerable", "filters", "tags", "judgements"}
        | {"outranked", "forbidden"}
    )
    filters = row.record("filters")
    filters.refuse_unknown({"entity", "type", "since", "until"})
    question = DemoQuestion(
        id=row.text("id"),
        kind=row.choice("kind", QUESTION_KINDS),
        text=row.text("text"),
        answer=row.text("answer"),
        answerable=row.flag("answerable", default=True),
        entity=filters.text("entity", ""),
        type=filters.text("type", ""),
        since=filters.day("since"),
        until=filters.day("until"),
        tags=row.texts("tags", ("everyone",)),
        judgements=tuple(_read_judgement(each) for each in row.records("judgements")),
        outranked=row.texts("outranked"),
        forbidden=row.texts("forbidden"),
    )
    if question.answerable != any(each.grade == FULL_ANSWER for each in question.judgements):
        row.refuse("an answerable question needs a document of grade 3, another one has none")
    return question


def _read_judgement(row: Record) -> DemoJudgement:
    row.refuse_unknown({"document", "grade"})
    grade = row.values.get("grade")
    if grade not in {1, 2, 3} or not isinstance(grade, int):
        row.refuse(f"'grade' must be 1, 2 or 3, not {grade!r}")
    return DemoJudgement(document=row.text("document"), grade=grade)


def _read_export(path: Path, *, columns: Set[str]) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines) if path.suffix == ".csv" else map(json.loads, lines)
        rows = list(reader)
    for position, row in enumerate(rows, start=1):
        missing = sorted(columns - set(row))
        if missing:
            message = f"{path.name}, row {position}: there is no column '{missing[0]}'."
            raise InvalidCatalogueError(message, field="mapping")
    return rows


def _find_problems(catalogue: DemoCatalogue) -> Iterator[str]:
    yield from _find_repeated("external_id", [each.external_id for each in catalogue.entities])
    yield from _find_repeated("source name", [each.name for each in catalogue.sources])
    yield from _find_repeated("question id", [each.id for each in catalogue.questions])
    entities = {each.external_id for each in catalogue.entities} | {""}
    for entity in catalogue.entities:
        if entity.parent not in entities:
            yield f"{entity.external_id}: there is no entity '{entity.parent}' to be its parent"
    documents = {name for source in catalogue.sources for name in find_documents(source)}
    for question in catalogue.questions:
        if question.entity not in entities:
            yield f"{question.id}: there is no entity '{question.entity}'"
        unknown = [name for name in question.documents if name not in documents]
        yield from (f"{question.id}: there is no document '{name}'" for name in unknown)


def _find_repeated(what: str, values: Sequence[str]) -> Iterator[str]:
    for value, times in Counter(values).items():
        if times > 1:
            yield f"{what} '{value}' is given {times} times"
