"""Reading evaluation sets."""

import gzip
import json
from datetime import UTC, datetime

import pytest

from retrieval.evaluation.datasets import (
    CorpusDocument,
    EntityMention,
    JudgedQuestion,
    read_dataset,
)
from retrieval.exceptions import DatasetError

CORPUS = [
    {
        "_id": "d1",
        "title": "Grail",
        "text": "The grail is in the castle.",
        "metadata": {
            "published_at": "2031-03-31T18:45:00+00:00",
            "source": "Camelot Times",
            "source_type": "news_article",
            "url": "https://camelot.example",
            "entities": [{"kind": "person", "external_id": "arthur", "name": "King Arthur"}],
        },
    },
    {"_id": "d2", "text": "Swallows carry coconuts."},
    {"_id": "d3", "text": "The bridge keeper asks three questions."},
]
QUERIES = [
    {
        "_id": "q1",
        "text": "Where is the grail?",
        "metadata": {
            "as_of": "2031-04-01",
            "filter": {"entity": "arthur"},
            "kind": "place",
        },
    },
    {"_id": "q2", "text": "What do swallows carry?"},
    {"_id": "q3", "text": "Judged and wrong?"},
    {"_id": "q4", "text": "What is the colour?", "metadata": {"answerable": False}},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq2\td2\t1\nq3\td3\t0\n"


@pytest.fixture
def beir(tmp_path):
    directory = tmp_path / "camelot"
    directory.mkdir()
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES)):
        lines = "\n".join(map(json.dumps, rows))
        (directory / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (directory / "qrels.tsv").write_text(QRELS)
    return directory


def test_read_dataset__whole(beir):
    dataset = read_dataset(beir)
    assert dataset.name == "camelot"
    assert dataset.documents[0] == CorpusDocument(
        document_id="d1",
        title="Grail",
        text="The grail is in the castle.",
        source="Camelot Times",
        source_type="news_article",
        url="https://camelot.example",
        published_at=datetime(2031, 3, 31, 18, 45, tzinfo=UTC),
        entities=(EntityMention(kind="person", external_id="arthur", name="King Arthur"),),
    )
    assert dataset.documents[1] == CorpusDocument(
        document_id="d2", title="", text="Swallows carry coconuts."
    )
    assert dataset.questions == (
        JudgedQuestion(
            question_id="q1",
            text="Where is the grail?",
            as_of=datetime(2031, 4, 1, 23, 59, 59, 999999, tzinfo=UTC),
            entity="arthur",
            kind="place",
        ),
        JudgedQuestion(question_id="q2", text="What do swallows carry?"),
    )
    assert dataset.judgements == {"q1": {"d1": 2}, "q2": {"d2": 1}}
    assert dataset.unanswerable == (JudgedQuestion(question_id="q4", text="What is the colour?"),)
    assert dataset.stale == {}
    assert dataset.entities == ()


def test_read_dataset__stale_documents_and_entities(beir):
    rows = "query-id\tcorpus-id\tscore\nq1\td2\t0\nq1\td3\t0\n"
    (beir / "stale.tsv").write_text(rows)
    entity = {"kind": "person", "external_id": "bedevere", "name": "Sir Bedevere"}
    (beir / "entities.jsonl.gz").write_bytes(gzip.compress(json.dumps(entity).encode()))
    dataset = read_dataset(beir)
    assert dataset.stale == {"q1": frozenset({"d2", "d3"})}
    assert dataset.entities == (EntityMention(**entity),)


def test_read_dataset__uncompressed(beir):
    packed = beir / "corpus.jsonl.gz"
    (beir / "corpus.jsonl").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()
    assert len(read_dataset(beir).documents) == 3


def test_read_dataset__limit_keeps_the_judged_documents(beir):
    dataset = read_dataset(beir, limit=1)
    assert [question.question_id for question in dataset.questions] == ["q1"]
    assert [document.document_id for document in dataset.documents] == ["d1", "d2"]
    assert dataset.judgements == {"q1": {"d1": 2}}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("qrels.tsv", None, "has no qrels.tsv"),
        ("queries.jsonl.gz", None, "has no queries.jsonl or queries.jsonl.gz"),
        ("qrels.tsv", "a\tb\n1\t2\n", "columns query-id, corpus-id and score"),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\thigh\n", "a number"),
        ("corpus.jsonl", "{broken", "line 1: not JSON"),
        ("corpus.jsonl", '{"text": "no id"}', "line 1: an object with _id and text"),
        ("queries.jsonl.gz", "not gzip", "cannot be read"),
        ("stale.tsv", "a\tb\n1\t2\n", "columns query-id, corpus-id and score"),
        ("entities.jsonl", '{"name": "Arthur"}', "an object with external_id and kind and name"),
    ],
)
def test_read_dataset__says_what_is_wrong(beir, name, content, message):
    (beir / name).unlink(missing_ok=True)
    if content is not None:
        (beir / name).write_text(content)
    with pytest.raises(DatasetError, match=message) as caught:
        read_dataset(beir)
    assert caught.value.field == "directory"


def test_read_dataset__no_folder(tmp_path):
    with pytest.raises(DatasetError, match="is not a folder"):
        read_dataset(tmp_path / "nowhere")
