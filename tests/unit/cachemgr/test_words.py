"""Words: tokens and stems."""

import pytest

from cachemgr.words import split_words, stem_of


@pytest.mark.parametrize(
    ("words", "stem"),
    [
        (("refund", "refunds", "refund's"), "refund"),
        (("policy", "policies"), "polici"),
        (("movie", "movies"), "movi"),
        (("accounting",), "accounting"),
        (("accounts",), "account"),
        (("car", "cars"), "car"),
        (("care",), "care"),
        (("apply",), "apply"),
        (("usual", "usually"), "usual"),
        (("approve", "approves", "approved", "approving"), "approv"),
        (("stop", "stops", "stopped", "stopping"), "stop"),
        (("access",), "access"),
        (("status",), "status"),
        (("bus",), "bus"),
        (("the",), "the"),
    ],
)
def test_stem_of(words, stem):
    assert {stem_of(word) for word in words} == {stem}


def test_split_words__openers_start_sentences():
    words = list(split_words("Is it up? Acme’s plan: see v2.1"))
    assert [word.text for word in words] == ["Is", "it", "up", "Acme's", "plan", "see", "v2.1"]
    assert [word.text for word in words if word.is_opener] == ["Is", "Acme's", "see"]
