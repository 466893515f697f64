"""Taking a score apart."""

from dataclasses import replace

import pytest

from retrieval.admin.breakdown import describe_days, explain_hits
from retrieval.ranking.blend import recompute_score
from retrieval.types import Hit, Receipt
from tests.unit.retrieval.builders import evidence

EVIDENCE = evidence(trust=0.9, authority=0.6, half_life_days=30.0)
RECEIPT = Receipt(
    keyword_rank=None,
    keyword_score=None,
    vector_rank=2,
    vector_score=0.61,
    relevance=0.8,
    freshness=0.5,
    age_days=30.0,
    half_life_days=30.0,
    trust=0.9,
    authority=0.6,
    blend="classic",
    weights={"relevance": 0.40, "freshness": 0.25, "trust": 0.20, "authority": 0.15},
    score=0.0,
)


def hit(**changes: object) -> Hit:
    receipt = replace(RECEIPT, **changes)  # type: ignore[arg-type]
    receipt = replace(receipt, score=recompute_score(receipt))
    return Hit(rank=1, score=receipt.score, evidence=EVIDENCE, receipt=receipt)


def test_explain_hits__of_a_degraded_search_says_nothing_about_meaning() -> None:
    found = hit(vector_rank=None, vector_score=None, keyword_rank=1, keyword_score=0.5)
    (breakdown,) = explain_hits([found], is_degraded=True)

    assert breakdown.arms == ("By meaning: not compared.", "By words: place 1, 0.50 points.")


def test_explain_hits__classic() -> None:
    (breakdown,) = explain_hits([hit()])

    # 0.40 x 0.8, 0.25 x 0.5, 0.20 x 0.9, 0.15 x 0.6
    assert [(part.name, pytest.approx(part.amount)) for part in breakdown.parts] == [
        ("relevance", 0.32),
        ("freshness", 0.125),
        ("trust", 0.18),
        ("authority", 0.09),
    ]
    assert breakdown.arms == (
        "By meaning: place 2, similarity 0.61.",
        "By words: not among the best passages.",
    )


@pytest.mark.parametrize("blend", ["classic", "bounded"])
@pytest.mark.parametrize("boosts", [{}, {"words": 0.1}, {"superseded": -0.5, "words": 0.05}])
def test_explain_hits__parts_add_up_to_the_score(blend: str, boosts: dict[str, float]) -> None:
    weights = {**RECEIPT.weights, "bound": 0.25}
    shown = hit(blend=blend, boosts=boosts, weights=weights)
    (breakdown,) = explain_hits([shown])

    summands = [part.amount for part in (*breakdown.parts, *breakdown.deductions)]
    assert sum(summands) == pytest.approx(shown.score)


def test_explain_hits__bounded_without_weights_for_quality() -> None:
    weights = {"relevance": 1.0, "freshness": 0.0, "trust": 0.0, "authority": 0.0, "bound": 0.25}
    (breakdown,) = explain_hits([hit(blend="bounded", weights=weights)])

    assert [part.amount for part in breakdown.parts] == [0.8, 0.0, 0.0, 0.0]


def test_explain_hits__bars_have_one_scale() -> None:
    strong, weak = explain_hits([hit(), hit(relevance=0.1)])

    # 0.32 + 0.125 + 0.18 + 0.09 = 0.715 is the widest; 0.04 + 0.395 of it is 60.8 %
    assert sum(part.width for part in strong.parts) == pytest.approx(100, abs=0.1)
    assert sum(part.width for part in weak.parts) == pytest.approx(60.8, abs=0.1)


def test_explain_hits__undated_capped_and_superseded() -> None:
    (breakdown,) = explain_hits([hit(age_days=None, cap="document", boosts={"superseded": -0.5})])

    freshness = breakdown.parts[1]
    assert freshness.explanation == "0.50: it has no date"
    assert [part.explanation for part in breakdown.deductions] == ["a newer document replaces it"]
    assert breakdown.cap == "Moved down: enough passages of the same document stand above."


def test_explain_hits__nothing_found() -> None:
    assert explain_hits([]) == []


@pytest.mark.parametrize(
    ("days", "words"),
    [(0.0, "less than a day"), (1.2, "1 day"), (30.0, "30 days"), (1461.0, "1,461 days")],
)
def test_describe_days(days: float, words: str) -> None:
    assert describe_days(days) == words
