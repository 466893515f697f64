"""Other ways to write periods."""

import pytest

from retrieval.query.wordings import find_wordings


@pytest.mark.parametrize(
    ("topic", "wordings"),
    [
        ("revenue in Q3", [((3,), "third quarter")]),
        ("revenue in the third quarter", [((4, 5), "Q3")]),
        ("the 2nd quarter?", [((2, 3), "Q2")]),
        ("3Q margins", [((1,), "third quarter"), ((1,), "Q3")]),
        ("Q3 FY24", [((1,), "third quarter"), ((2,), "fiscal 2024")]),
        ("3Q24", [((1,), "third quarter FY24"), ((1,), "Q3 FY24")]),
        ("Q3FY24", [((1,), "third quarter FY24"), ((1,), "Q3 FY24")]),
        ("Q3'24", [((1,), "third quarter FY24"), ((1,), "Q3 FY24")]),
        ("H1 results", [((1,), "first half")]),
        ("the second half of it", [((2, 3), "H2")]),
        ("fiscal 2024", [((1, 2), "FY24")]),
        ("fiscal year 2024", [((1, 2, 3), "FY24")]),
        ("FY2024", [((1,), "fiscal 2024")]),
        ("on 3 Jan", [((3,), "january")]),
        ("March 2031", [((1,), "mar")]),
        ("September 2031", [((1,), "sep"), ((1,), "sept")]),
    ],
)
def test_find_wordings__of_quarters_halves_fiscal_years_and_months(topic, wordings):
    assert [(each.places, each.text) for each in find_wordings(topic)] == wordings


@pytest.mark.parametrize(
    "topic",
    ["", "Q5", "H3", "Q", "a quarter", "third", "May I?", "it may 5", "Jan Smith", "fiscal year"],
)
def test_find_wordings__nothing_else(topic):
    assert find_wordings(topic) == []
