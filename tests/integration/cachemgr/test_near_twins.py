"""Near twins and paraphrases of the polarity set, with the model that ships."""

from dataclasses import replace
from importlib.resources import as_file, files

import pytest

from cachemgr.evaluation.pairs import read_pairs
from cachemgr.evaluation.runner import evaluate_pairs
from cachemgr.policy import match_policy
from retrieval.evaluation.plan import show_progress, stored_vectors

pytestmark = pytest.mark.acceptance


@pytest.fixture
def evaluation(settings, tmp_path):
    settings.STATE_DIR = tmp_path
    with as_file(files("cachemgr.evaluation") / "polarity.tsv") as path:
        seen = read_pairs(path, where={"half": "seen"})
    return evaluate_pairs(
        # The model takes its time: half a minute for all of them.
        replace(seen, pairs=seen.pairs[::2]),
        policy=match_policy(),
        rule_threshold=0.95,
        embedder=stored_vectors(),
        progress=show_progress,
    )


def test_evaluate_pairs__near_twins_are_never_answered(evaluation):
    assert evaluation.rates.negatives > 100
    assert evaluation.false_hits == []
    # What a threshold alone would do with the same pairs.
    assert evaluation.rule_rates.false_hits > 30
    # Of the paraphrases, which are worded freely, some are: a miss costs an answer anew.
    assert evaluation.rates.hit_rate > 0.25
