"""Questions of thousands of characters, and corpora whose words nobody counted yet."""

from itertools import islice, product

import pytest

from knowledge.models import CorpusStatistic, TermStatistic
from retrieval.search.keyword import MAX_SCORED_TERMS, read_terms
from retrieval.search.terms import MOST_TERMS

pytestmark = pytest.mark.django_db

MOST_CHARACTERS = 4_096


def distinct_words(*, length):
    """Return as many distinct words of that length as fit into a question."""
    count = MOST_CHARACTERS // (length + 1)
    letters = islice(product("xzbcdfghklmnpr", repeat=length), count)
    return " ".join(map("".join, letters))


@pytest.mark.parametrize("length", [5, 6, 12])
def test_search__one_known_word_among_hundreds_nobody_uses(castle, length):
    question = f"{distinct_words(length=length)} swallow"[-MOST_CHARACTERS:]
    (english,) = read_terms(question)
    assert len(english.terms) <= MOST_TERMS
    assert len(english.frequencies(most=MAX_SCORED_TERMS)) == MAX_SCORED_TERMS
    result = castle.search(question)
    by_words = [hit for hit in result.hits if hit.receipt.keyword_rank]
    assert [hit.evidence.external_id for hit in by_words] == ["swallow.txt"]
    assert not result.exact["keyword"]


def test_search__says_when_not_every_word_was_looked_up(castle):
    words = distinct_words(length=5).split()[: MAX_SCORED_TERMS + 1]
    castle.add("words.txt", " ".join(words))
    fits, longer = (castle.search(" ".join(words[:count])) for count in (MAX_SCORED_TERMS, None))
    assert (fits.exact["keyword"], longer.exact["keyword"]) == (True, False)
    assert fits.is_complete
    assert fits.hits[0].evidence.external_id == longer.hits[0].evidence.external_id == "words.txt"


@pytest.mark.parametrize("question", ["x" * MOST_CHARACTERS, "a-" * 2_048, "x" + ".1" * 2_047])
def test_search__one_word_of_thousands_of_characters(castle, question):
    assert castle.search(question).hits
    assert all(len(each.terms) <= MOST_TERMS for each in read_terms(question))


def test_search__before_the_words_were_counted(castle):
    assert castle.search("unladen swallow").warnings == ()
    TermStatistic.objects.all().delete()
    CorpusStatistic.objects.update(chunk_count=0)
    result = castle.search("unladen swallow")
    assert result.hits[0].evidence.external_id == "swallow.txt"
    assert result.hits[0].receipt.keyword_rank == 1
    assert result.warnings == (
        "The words of the documents were not counted yet: rare words weigh no more than others.",
    )
