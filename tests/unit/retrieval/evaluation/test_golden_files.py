"""The golden set in files."""

from dataclasses import replace

import pytest

from retrieval.evaluation.golden_files import (
    MOST_LINES,
    Fault,
    GoldenLine,
    read_beir,
    read_csv,
    write_beir,
    write_csv,
)
from retrieval.exceptions import DatasetError

GRAIL = GoldenLine(
    place="line 2",
    question="Where is the grail?",
    source="Chronicle",
    document="castle.txt",
    grade=3,
)
LIMITED = GoldenLine(
    place="line 3",
    question="Wo, bitte,\nist der Gral?",
    source="Ärger, und mehr",
    document="a/b.txt",
    grade=0,
    is_answerable=False,
    expected_answer="=SUM(A1)",
    as_of="2026-11-05",
    access_tags=("board", "sales"),
    limits={"sources": ["Chronicle"], "types": ["email"], "since": "2026-01-01"},
)
ALONE = GoldenLine(place="line 4", question="How tall is Everest?", is_answerable=False)


def places_gone(lines):
    return [
        GoldenLine(**{name: getattr(line, name) for name in line.__slots__} | {"place": ""})
        for line in lines
    ]


def test_csv__what_is_written_is_read():
    read = read_csv(write_csv([GRAIL, LIMITED, ALONE]))

    assert read.faults == ()
    assert places_gone(read.lines) == places_gone([GRAIL, LIMITED, ALONE])
    assert [line.place for line in read.lines] == ["line 2", "line 4", "line 5"]


def test_write_csv__no_cell_is_a_formula():
    assert "'=SUM(A1)" in write_csv([LIMITED])


@pytest.mark.parametrize("beginning", ["=", "+", "-", "@", "\t", "\r"])
def test_write_csv__no_cell_begins_as_a_formula(beginning):
    line = replace(LIMITED, question=f"{beginning}cmd|'/c calc'!A0")
    (read,) = read_csv(write_csv([line])).lines

    assert f"'{beginning}cmd" in write_csv([line])
    assert read.question == line.question.strip()


@pytest.mark.parametrize("letter", ["\\u0000", "\\ud800"])
def test_beir__what_is_no_text_is_a_fault(letter):
    queries = f'{{"_id": "1", "text": "Where{letter}?"}}\n{{"_id": "2", "text": "Who?\u2028"}}\n'
    read = read_beir(queries, "query-id\tcorpus-id\tscore\n")

    assert [line.question for line in read.lines] == ["Who?"]
    assert "no text" in read.faults[0].message


def test_csv__of_other_spreadsheets():
    text = "\ufeffDocument;Grade;Question\r\ncastle.txt;2;Where?\r\n;;\r\n"
    (line,) = read_csv(text).lines
    assert (line.question, line.document, line.grade) == ("Where?", "castle.txt", 2)


def test_csv__each_fault_is_told_by_line():
    text = (
        "question,document,grade,answerable,as_of\n"
        "Where?,castle.txt,3,,\n"
        ",castle.txt,3,,\n"
        "Where?,castle.txt,4,,\n"
        "Where?,castle.txt,,,\n"
        "Where?,,,perhaps,\n"
        "Where?,,,,yesterday\n"
        "Where?,,,,0001-01-01\n"
    )
    read = read_csv(text)

    assert len(read.lines) == 1
    assert read.faults == (
        Fault(place="line 3", message="The question is empty."),
        Fault(place="line 4", message="grade is '4'; it may be 0, 1, 2 or 3."),
        Fault(place="line 5", message="grade is ''; it may be 0, 1, 2 or 3."),
        Fault(place="line 6", message="answerable is 'perhaps'; it may be yes or no."),
        Fault(
            place="line 7",
            message=(
                "as_of is 'yesterday'; write a date like 2031-03-31 or a time like"
                " 2031-03-31T18:45Z."
            ),
        ),
        Fault(
            place="line 8",
            message="as_of is '0001-01-01'; years from 1000 to 9000 are understood.",
        ),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no column question"),
        ("text,document\nWhere?,x\n", "has no column question"),
        ("question\n" + "x\n" * (MOST_LINES + 1), "more than 100,000 lines"),
    ],
)
def test_csv__what_is_no_set_is_refused(text, words):
    with pytest.raises(DatasetError, match=words):
        read_csv(text)


def test_beir__what_is_written_is_read():
    files = write_beir([GRAIL, LIMITED, ALONE])

    read = read_beir(files["queries.jsonl"], files["qrels.tsv"])

    assert read.faults == ()
    assert files["qrels.tsv"].splitlines() == [
        "query-id\tcorpus-id\tscore",
        "q1\tChronicle/castle.txt\t3",
        "q2\tÄrger, und mehr/a/b.txt\t0",
    ]
    assert [(line.question, line.document, line.grade) for line in read.lines] == [
        ("Where is the grail?", "Chronicle/castle.txt", 3),
        ("Wo, bitte,\nist der Gral?", "Ärger, und mehr/a/b.txt", 0),
        ("How tall is Everest?", "", None),
    ]
    second = read.lines[1]
    assert (second.limits, second.access_tags) == (LIMITED.limits, LIMITED.access_tags)
    assert (second.as_of, second.is_answerable) == ("2026-11-05", False)


def test_beir__each_fault_is_told_by_file_and_line():
    queries = (
        '{"_id": "q1", "text": "Where?"}\nnot json\n[1]\n{"_id": 1, "text": "x", "metadata": 3}'
    )
    qrels = "query-id\tcorpus-id\tscore\nq1\td\t1\nq9\td\t1\nq1\td\tmany\n"

    read = read_beir(queries, qrels)

    assert len(read.lines) == 1
    assert [(fault.place, fault.message.split(" (")[0]) for fault in read.faults] == [
        ("queries.jsonl, line 2", "This is not JSON"),
        ("queries.jsonl, line 3", "An object with _id and text is expected."),
        ("queries.jsonl, line 4", "metadata has to be an object."),
        ("qrels.tsv, line 3", "query-id 'q9' is not among the questions of queries.jsonl."),
        ("qrels.tsv, line 4", "grade is 'many'; it may be 0, 1, 2 or 3."),
    ]


def test_beir__without_its_columns_is_refused():
    with pytest.raises(DatasetError, match="no column corpus-id and no column score"):
        read_beir("", "query-id\tdocument\n")
