"""The polarity set: well formed, balanced, and its seen and unseen parts apart."""

import csv
import re
import tomllib
import unicodedata
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

POLARITY = files("cachemgr.evaluation") / "polarity.tsv"
NEGATIVES = {
    "numbers",
    "dates",
    "identifiers",
    "names",
    "negation",
    "polarity",
    "qualifiers",
    "order",
    "question",
    "language",
    "tense",
    "aspect",
    "scope",
}
PARAPHRASES = {"surface", "rearranged", "synonyms", "form", "notation", "reworded"}


def lines():
    return POLARITY.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def pairs():
    return list(csv.DictReader(lines(), delimiter="\t"))


def folded(question):
    """Return the question without what no reader would call a difference between pairs."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", question).casefold()))


def test_polarity__is_a_plain_table():
    rows = [line.split("\t") for line in lines()]

    assert rows[0] == ["q1", "q2", "label", "kind", "half"]
    assert list(csv.reader(lines(), delimiter="\t")) == rows
    assert {len(row) for row in rows} == {5}
    assert all(field and field == field.strip() for row in rows for field in row)
    assert all(unicodedata.is_normalized("NFC", line) for line in lines())


def test_polarity__kind_tells_the_label(pairs):
    assert {(pair["kind"], pair["label"]) for pair in pairs} == {
        *((kind, "0") for kind in NEGATIVES),
        *((kind, "1") for kind in PARAPHRASES),
    }


def test_polarity__is_large_and_balanced(pairs):
    kinds = Counter(pair["kind"] for pair in pairs)
    labels = Counter(pair["label"] for pair in pairs)

    assert len(pairs) >= 1200
    assert 0.55 <= labels["0"] / len(pairs) <= 0.65
    assert min(kinds.values()) >= 24
    assert max(kinds[kind] for kind in NEGATIVES) <= 2 * min(kinds[kind] for kind in NEGATIVES)


def test_polarity__unseen_part_is_large_and_has_every_kind(pairs):
    unseen = Counter(pair["kind"] for pair in pairs if pair["half"] == "unseen")
    fewest = {kind: 6 if kind == "reworded" else 9 for kind in NEGATIVES | PARAPHRASES}

    assert {pair["half"] for pair in pairs} <= {"seen", "unseen"}
    # Between the day a blind part was looked at and the next one, all pairs are seen.
    if unseen:
        assert unseen.total() >= 300
        assert {kind: unseen[kind] for kind in fewest if unseen[kind] < fewest[kind]} == {}


def test_polarity__no_pair_twice_even_swapped(pairs):
    asked = Counter(frozenset({folded(pair["q1"]), folded(pair["q2"])}) for pair in pairs)

    assert [set(pair) for pair, times in asked.items() if times > 1] == []


def test_polarity__no_pair_is_one_text_twice(pairs):
    assert [pair for pair in pairs if pair["q1"] == pair["q2"]] == []


def test_polarity__no_question_both_seen_and_unseen(pairs):
    questions = {
        half: {folded(pair[q]) for pair in pairs if pair["half"] == half for q in ("q1", "q2")}
        for half in ("seen", "unseen")
    }

    assert questions["seen"] & questions["unseen"] == set()


@pytest.fixture(scope="module")
def by_others():
    text = (files("cachemgr.evaluation") / "polarity_by_others.tsv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def test_by_others__every_pair_is_labelled(by_others):
    assert {(pair["label"], pair["half"]) for pair in by_others} == {
        (label, half) for label in ("0", "1") for half in ("seen", "unseen")
    }
    assert all(pair["q1"] != pair["q2"] and all(pair.values()) for pair in by_others)
    assert {pair["label"] for pair in by_others if pair["kind"] == "paraphrase"} == {"1"}
    assert {pair["label"] for pair in by_others if pair["kind"] != "paraphrase"} == {"0"}


def test_by_others__unseen_part_is_large_and_nowhere_else(by_others, pairs):
    unseen = [pair for pair in by_others if pair["half"] == "unseen"]
    seen = [*pairs, *(pair for pair in by_others if pair["half"] == "seen")]
    assert sum(pair["label"] == "0" for pair in unseen) >= 300
    asked, known = (
        {folded(pair[q]) for pair in part for q in ("q1", "q2")} for part in (unseen, seen)
    )
    assert asked & known == set()


def test_polarity__ships_with_the_package():
    root = Path(__file__).parents[4]
    declared = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))

    assert "*.tsv" in declared["tool"]["setuptools"]["package-data"]["*"]
