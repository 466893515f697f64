"""The catalogue of the demo: every reference resolves, and what is wrong is named."""

import shutil
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
import yaml

from knowledge.demo.catalogue import (
    DEMO_ROOT,
    DemoEntity,
    DemoJudgement,
    find_documents,
    load_catalogue,
)
from knowledge.demo.records import InvalidCatalogueError
from knowledge.ingestion.front_matter import split_front_matter

CATALOGUE = load_catalogue()
FILES = sorted(path for path in (DEMO_ROOT / "sources").rglob("*") if path.is_file())


def test_load_catalogue__has_the_promised_extent():
    documents = [name for source in CATALOGUE.sources for name in find_documents(source)]
    assert len(documents) >= 55
    assert len(set(documents)) == len(documents)
    assert {path.suffix for path in FILES} == {
        ".md", ".txt", ".html", ".csv", ".jsonl", ".eml", ".docx", ".pdf",
    }  # fmt: skip
    assert len({source.type for source in CATALOGUE.sources}) >= 8
    assert {tag for source in CATALOGUE.sources for tag in source.access_tags} == {
        "everyone",
        "sales",
        "finance",
    }
    assert len(CATALOGUE.questions) == 25
    assert CATALOGUE.as_of == date(2026, 11, 30)


def test_load_catalogue__reads_each_kind_of_value():
    assert CATALOGUE.entities[12] == DemoEntity(
        kind="person",
        name="Priya Ramanathan",
        external_id="per-ramanathan",
        aliases=("p.ramanathan@hollis-provisions.example",),
        parent="acc-hollis",
    )
    sources = {source.name: source for source in CATALOGUE.sources}
    assert sources["chill-whisper"].trust == 0.1
    assert sources["contracts"].authority is None
    assert sources["contracts"].access_tags == ("sales", "finance")
    questions = {question.id: question for question in CATALOGUE.questions}
    assert questions["probes-read-warm"].since == date(2026, 1, 1)
    assert questions["probes-read-warm"].type == "support_ticket"
    assert questions["ticket-by-digits"].judgements == (
        DemoJudgement(document="support-desk/INC-48231", grade=3),
    )
    assert questions["osprey-lane-debt-without-tag"].answerable is False


def test_load_catalogue__asks_every_kind_of_question():
    kinds = Counter(question.kind for question in CATALOGUE.questions)
    assert kinds["unanswerable"] >= 2
    assert kinds["latest"] >= 3
    assert kinds["untrusted"] >= 2
    assert kinds["restricted"] >= 2
    assert kinds["identifier"] >= 4
    assert kinds["comparison"] >= 1
    assert sum(bool(question.entity) for question in CATALOGUE.questions) >= 2
    assert sum(bool(question.forbidden) for question in CATALOGUE.questions) >= 1
    for question in CATALOGUE.questions:
        assert bool(question.outranked) or question.kind not in {"latest", "untrusted"}


def test_find_documents__counts_files_and_rows():
    sources = {source.name: source for source in CATALOGUE.sources}
    assert find_documents(sources["job-boards"]) == ("job-boards/jb-77120", "job-boards/jb-80455")
    assert find_documents(sources["finance-desk"]) == (
        "finance-desk/2026-10-osprey-lane-credit-hold.md",
        "finance-desk/2026-10-receivables-q3.docx",
    )


def test_sources__hold_every_file_once():
    owners = [
        source.name
        for path in FILES
        for source in CATALOGUE.sources
        if path == source.path or source.path in path.parents
    ]
    assert len(owners) == len(FILES)


def test_questions__are_asked_by_callers_who_may_read_the_answer():
    tags_by_source = {source.name: set(source.access_tags) for source in CATALOGUE.sources}
    for question in CATALOGUE.questions:
        for name in (*(each.document for each in question.judgements), *question.outranked):
            source, _, external_id = name.partition("/")
            tags = tags_by_source[source]
            if external_id.endswith(".md"):
                written = (DEMO_ROOT / "sources" / name).read_text(encoding="utf-8")
                tags = set(split_front_matter(written).values.access_tags) or tags
            assert tags & set(question.tags), (question.id, name)
        for name in question.forbidden:
            assert not tags_by_source[name.partition("/")[0]] & set(question.tags)


@pytest.fixture
def copy(tmp_path):
    root = tmp_path / "demo"
    shutil.copytree(DEMO_ROOT, root, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return root


def edit(path: Path, change):
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")


def test_load_catalogue__reads_a_copy_alike(copy):
    assert load_catalogue(copy).questions == CATALOGUE.questions


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.pop("as_of"), r"^manifest.yaml: 'as_of' is missing\.$"),
        (
            lambda m: m["entities"][0].update(kind="firm"),
            r"^manifest.yaml, entities 1: 'kind' is 'firm'; use company, deal, person, product\.$",
        ),
        (
            lambda m: m["entities"][10].update(parent="acc-nobody"),
            r"^per-marta-hollis: there is no entity 'acc-nobody' to be its parent\.$",
        ),
        (
            lambda m: m["entities"].append(m["entities"][0]),
            r"^external_id 'acc-hollis' is given 2 times\.$",
        ),
        (
            lambda m: m["sources"][0].update(trust=1.4),
            r"^manifest.yaml, sources 1: 'trust' must be a number from 0 to 1, not 1.4\.$",
        ),
        (
            lambda m: m["sources"][0].update(access_tags=[]),
            r"^manifest.yaml, sources 1: 'access_tags' is empty; nobody could read the source\.$",
        ),
        (
            lambda m: m["sources"][0].update(path="sources/nowhere"),
            r"^manifest.yaml, sources 1: 'path' names nothing: sources/nowhere\.$",
        ),
        (
            lambda m: m["sources"][0].update(thrust=1),
            r"^manifest.yaml, sources 1: unknown key 'thrust'; use access_tags, authority, ",
        ),
        (
            lambda m: m["sources"][-1]["mapping"].update(external_id="number"),
            r"^deals.csv, row 1: there is no column 'number'\.$",
        ),
        (
            lambda m: m["sources"][-1].pop("mapping"),
            r"^manifest.yaml, sources 17: 'mapping' must name the column of external_id\.$",
        ),
    ],
)
def test_load_catalogue__refuses_a_wrong_manifest(copy, change, message):
    edit(copy / "manifest.yaml", change)
    with pytest.raises(InvalidCatalogueError, match=message):
        load_catalogue(copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda q: q[0]["judgements"][0].update(document="trade-press/2026-01-holis-ceo.md"),
            r"^hollis-chief-executive: there is no document 'trade-press/2026-01-holis-ceo.md'\.$",
        ),
        (
            lambda q: q[0]["judgements"][0].update(grade=4),
            r"^questions.yaml, questions 1, judgements 1: 'grade' must be 1, 2 or 3, not 4\.$",
        ),
        (
            lambda q: q[0].update(answerable=False),
            r"^questions.yaml, questions 1: an answerable question needs a document of grade 3, ",
        ),
        (
            lambda q: q[0].update(filters={"entity": "acc-nobody"}),
            r"^hollis-chief-executive: there is no entity 'acc-nobody'\.$",
        ),
        (
            lambda q: q[0].update(filters={"since": "last week"}),
            r"^questions.yaml, questions 1, filters: 'since' must be a day such as 2026-03-17, ",
        ),
        (
            lambda q: q[1].update(id=q[0]["id"]),
            r"^question id 'hollis-chief-executive' is given 2 times\.$",
        ),
    ],
)
def test_load_catalogue__refuses_a_wrong_question(copy, change, message):
    edit(copy / "questions.yaml", lambda content: change(content["questions"]))
    with pytest.raises(InvalidCatalogueError, match=message):
        load_catalogue(copy)


def test_load_catalogue__names_a_missing_file(tmp_path):
    with pytest.raises(InvalidCatalogueError, match=r"^manifest.yaml: cannot be read \(No such"):
        load_catalogue(tmp_path)


def test_load_catalogue__names_the_line_of_broken_yaml(copy):
    (copy / "questions.yaml").write_text("questions: [", encoding="utf-8")
    with pytest.raises(InvalidCatalogueError, match=r"^questions.yaml: is not valid YAML: "):
        load_catalogue(copy)
