"""Pairs: read from tables, refused with file, line and column."""

import gzip

import pytest

from cachemgr.evaluation.pairs import Pair, PairSet, read_pairs
from retrieval.exceptions import DatasetError

TABLE = 'q1\tq2\tlabel\thalf\tkind\nIs "it"?\tIs it so?\t1\tseen\tform\nWho?\tWhy?\t0\tunseen\t\n'


@pytest.mark.parametrize("name", ["own.tsv", "own.tsv.gz"])
def test_read_pairs(tmp_path, name):
    path = tmp_path / name
    content = TABLE.encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert read_pairs(path) == PairSet(
        name="own",
        pairs=(
            Pair(asked='Is "it"?', stored="Is it so?", is_same=True, kind="form"),
            Pair(asked="Who?", stored="Why?", is_same=False),
        ),
    )


def test_read_pairs__where(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text(TABLE.replace("\n", "\r\n"))
    (pair,) = read_pairs(path, where={"half": "unseen"}).pairs
    assert pair == Pair(asked="Who?", stored="Why?", is_same=False)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", r"line 1: there is no column 'q1'; it has \."),
        ("q1\tq2\nA?\tB?\n", "line 1: there is no column 'label'; it has q1, q2."),
        ("q1\tq2\tlabel\n", "has no pairs"),
        ("q1\tq2\tlabel\nA?\tB?\n", "line 2: 2 columns where the first line has 3"),
        ("q1\tq2\tlabel\nA?\tB?\t1\nA?\t \t1\n", "line 3, column q2: the question is empty"),
        ("q1\tq2\tlabel\nA?\tB?\tyes\n", "line 2, column label: 'yes' is neither 0 nor 1"),
    ],
)
def test_read_pairs__refuses(tmp_path, table, message):
    path = tmp_path / "own.tsv"
    path.write_text(table)
    with pytest.raises(DatasetError, match=message) as caught:
        read_pairs(path)
    assert str(path) in caught.value.message


def test_read_pairs__unknown_column_of_where(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text(TABLE)
    with pytest.raises(DatasetError, match="there is no column 'part'"):
        read_pairs(path, where={"part": "seen"})


@pytest.mark.parametrize(
    ("name", "content"),
    [("missing.tsv", None), ("bytes.tsv", b"q1\xff\tq2\tlabel\n"), ("cut.tsv.gz", b"\x1f\x8b\x08")],
)
def test_read_pairs__unreadable(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DatasetError, match="cannot be read"):
        read_pairs(tmp_path / name)
