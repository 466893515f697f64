"""`manage.py check_index`."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from knowledge.services.spaces import find_active_space
from retrieval.evaluation import index_recall
from retrieval.evaluation.index_recall import measure_recall, sample_scopes, sample_vectors
from retrieval.models import IndexCheck
from retrieval.types import ArmResult, Candidate, Filters

pytestmark = pytest.mark.django_db


def run(*arguments):
    output = StringIO()
    call_command("check_index", *arguments, stdout=output, stderr=StringIO())
    return output.getvalue()


def test_check_index__json(castle):
    castle.add("moat.txt", "The moat is deep.", source="Survey", type_slug="contract")
    report = json.loads(run("--json", "--sample", "5"))
    assert report == {
        "floor": 0.95,
        "recall@10": {
            "none": {"chunks": 5, "recall": 1.0},
            "source with most": {"chunks": 4, "recall": 1.0},
            "source with fewest": {"chunks": 1, "recall": 1.0},
            "type with most": {"chunks": 4, "recall": 1.0},
            "type with fewest": {"chunks": 1, "recall": 1.0},
        },
        "faults": [],
    }


def test_check_index__lines(castle):
    assert run().splitlines()[0] == "none: recall@10 1.0000 (4 passages)"


def test_check_index__says_what_the_index_misses(castle, monkeypatch):
    real = index_recall.find_by_vector

    def miss_half(vector, **options):
        result = real(vector, **options)
        if options["is_narrow"]:
            return result
        return ArmResult(
            arm=result.arm, candidates=result.candidates[: len(result.candidates) // 2]
        )

    monkeypatch.setattr(index_recall, "find_by_vector", miss_half)
    with pytest.raises(CommandError) as caught:
        run()
    assert "Recall with filter 'none' is 0.5000, below 0.95" in str(caught.value)
    kept = IndexCheck.objects.get()
    assert (kept.recalls["none"], kept.floor) == (0.5, 0.95)
    assert kept.faults[0].startswith("Recall with filter 'none' is 0.5000")
    assert kept.embedding_model == str(find_active_space())
    assert "none: recall@10 0.5000" in run("--floor", "0.4")


def test_check_index__a_missing_index(castle):
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {find_active_space().index_name}")
    with pytest.raises(CommandError, match="is missing or not valid"):
        run()


def test_check_index__nothing_is_embedded(library):
    with pytest.raises(CommandError, match="Nothing is embedded yet"):
        run()
    assert not IndexCheck.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sample", "0"], "--sample is 0; it has to be 1 or more."),
        (["--floor", "1.5"], "--floor is 1.5; it has to be from 0 to 1."),
    ],
)
def test_check_index__one_clear_line(castle, arguments, message):
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert str(caught.value) == message


def test_measure_recall__a_filter_that_leaves_nothing_misses_nothing(castle):
    space = find_active_space()
    nobody = Filters(access_tags=frozenset({"nobody"}))
    vectors = sample_vectors(space_id=space.pk, count=2)
    assert len(vectors) == 2
    assert measure_recall(vectors, nobody, space_id=space.pk, depth=100) == 1.0


def test_sample_scopes__an_empty_corpus(library):
    (scope,) = sample_scopes()
    assert (scope.label, scope.chunk_count) == ("none", 0)


def test_share_found__equally_near_ones_are_as_good():
    nearest = [Candidate(chunk_id=1, rank=1, score=0.9), Candidate(chunk_id=2, rank=2, score=0.5)]
    found = [Candidate(chunk_id=1, rank=1, score=0.9), Candidate(chunk_id=3, rank=2, score=0.5)]
    assert index_recall._share_found(found, nearest) == 1.0
    assert index_recall._share_found(found[:1], nearest) == 0.5
