"""Scores of what only the other arm found."""

from retrieval.arms import with_scores
from retrieval.types import Arm, Candidate
from tests.unit.retrieval.builders import arm_result


def test_with_scores__follow_what_was_found_without_a_rank():
    result = arm_result(Arm.VECTOR, (1, 0.8), (2, 0.5))
    completed = with_scores(result, {3: 0.1, 4: 0.2, 5: -0.3}, least=0.0)
    assert completed.candidates[:2] == result.candidates
    assert completed.candidates[2:] == (
        Candidate(chunk_id=4, rank=None, score=0.2),
        Candidate(chunk_id=3, rank=None, score=0.1),
    )
