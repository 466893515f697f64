"""What questions are after."""

import pytest

from retrieval.query.intents import find_intents
from retrieval.query.vocabulary import IntentRule

PRICES = IntentRule(
    name="prices",
    keywords=("price", "how much", " "),
    preferred_types=frozenset({"contract"}),
    avoided_types=frozenset({"blog_post"}),
    boost=0.08,
    penalty=0.03,
)
PLAIN = IntentRule(name="plain", keywords=("price",))


@pytest.mark.parametrize("question", ["What is the Price?", "how  much is a shrubbery"])
def test_find_intents__by_keyword(question):
    found = find_intents(question, [PRICES, PLAIN])
    assert [(each.name, set(each.source_types), each.amount) for each in found] == [
        ("intent prices", {"contract"}, 0.08),
        ("intent prices, avoided", {"blog_post"}, -0.03),
    ]


@pytest.mark.parametrize("question", ["prices", "enterprise", "how many", "a priced grail"])
def test_find_intents__whole_words_only(question):
    assert find_intents(question, [PRICES]) == []
