"""Scores in words."""

from dataclasses import replace

from retrieval.explain import describe_duplicates, explain_receipt
from retrieval.types import Duplicate
from tests.unit.retrieval.builders import RECEIPT


def test_explain_receipt__classic():
    receipt = replace(RECEIPT, age_days=30.0, boosts={"superseded": -0.5}, cap="document")
    assert explain_receipt(receipt) == [
        "relevance 1.000: rank 1 by words (score 0.300); rank 1 by meaning (similarity 0.600)",
        "freshness 0.500: 30 days old, half as fresh every 180 days",
        "trust 0.70, authority 0.50",
        "0.4 x 1.000 + 0.25 x 0.500 + 0.2 x 0.700 + 0.15 x 0.500, divided by 1",
        "superseded: -0.500",
        "moved down: enough passages of its document stand above it",
    ]


def test_explain_receipt__bounded_undated_and_beyond_the_depth_of_the_arms():
    receipt = replace(
        RECEIPT,
        keyword_rank=None,
        keyword_score=None,
        vector_rank=None,
        blend="bounded",
        weights={**RECEIPT.weights, "bound": 0.25},
    )
    assert explain_receipt(receipt) == [
        "relevance 1.000: not found by words; not among the first by meaning (similarity 0.600)",
        "freshness 0.500: without a date",
        "trust 0.70, authority 0.50",
        (
            "1.000 x (1 + 0.25 x (2 x quality - 1)), with quality = 0.25 x 0.500 + 0.2 x 0.700"
            " + 0.15 x 0.500, divided by 0.6"
        ),
    ]


def test_explain_receipt__nothing_but_relevance_has_a_weight():
    weights = dict.fromkeys(RECEIPT.weights, 0.0) | {"relevance": 0.4, "bound": 0.25}
    receipt = replace(RECEIPT, blend="bounded", weights=weights)
    assert explain_receipt(receipt)[3] == (
        "1.000 x (1 + 0.25 x (2 x quality - 1)), with quality = 0.5, as nothing of it has a weight"
    )


def test_describe_duplicates__a_few_by_name():
    copies = [
        Duplicate(chunk_id=number, document_id=number, title=f"Copy {number}", source_name="Wiki")
        for number in range(1, 8)
    ]
    assert describe_duplicates(copies[:1]) == (
        "also in 1 other document, in the same words: Copy 1 (Wiki)"
    )
    assert describe_duplicates(copies).endswith("Copy 5 (Wiki); 2 more")


def test_explain_receipt__names_the_successor():
    receipt = replace(RECEIPT, boosts={"superseded": -0.5}, superseded_by="Handbook 2031")
    assert explain_receipt(receipt)[-2:] == [
        "superseded: -0.500",
        "superseded by Handbook 2031, and stands behind it",
    ]
