"""Questions widened by the words a curator taught, against a real database."""

from dataclasses import replace

import pytest

from retrieval.pipeline import answer
from retrieval.query.parse import SearchRequest, build_query
from retrieval.query.steps import EVERY_STEP, Step
from retrieval.services import get_profile
from tests.factories.retrieval import SynonymFactory
from tests.integration.retrieval.conftest import EVERYONE, NOW

pytestmark = pytest.mark.django_db


def by_words(library, question, **changes):
    """Return the documents that the keyword arm found, best first."""
    query = build_query(SearchRequest(question=question), reader_tags=EVERYONE, now=NOW)
    profile = replace(get_profile(), **changes)
    hits = answer(query, profile=profile, embedder=library.embedder).hits
    found = [hit for hit in hits if hit.receipt.keyword_score]
    found.sort(key=lambda hit: -hit.receipt.keyword_score)
    return [hit.evidence.external_id for hit in found]


@pytest.fixture
def cups(castle):
    """Add a document that calls the grail a drinking cup, and one of its first word only."""
    castle.add("cup.txt", "A drinking cup of legend.")
    castle.add("song.txt", "A drinking song.")
    return castle


def test_search__finds_the_other_word(cups):
    assert by_words(cups, "grail") == ["grail.txt"]
    SynonymFactory(terms=["grail", "drinking cup"])
    assert by_words(cups, "Where is the Grail?") == ["grail.txt", "cup.txt"]
    assert by_words(cups, "a drinking cup") == ["cup.txt", "song.txt", "grail.txt"]


def test_search__says_which_words_were_added(cups):
    SynonymFactory(terms=["grail", "drinking cup", "chalice"])
    result = cups.search("Where is the Grail?")
    assert result.interpretation["synonyms"] == {"Grail": ["drinking cup", "chalice"]}
    assert "synonyms" not in cups.search("Where is the castle?").interpretation


def test_search__only_synonyms_in_use_and_in_their_direction(cups):
    SynonymFactory(terms=["grail", "drinking cup"], enabled=False)
    SynonymFactory(terms=["husk", "grail"], is_one_way=True)
    assert by_words(cups, "grail") == ["grail.txt"]


def test_search__a_weight_of_0_adds_nothing(cups):
    SynonymFactory(terms=["grail", "drinking cup"])
    assert by_words(cups, "grail", synonym_weight=0.0) == ["grail.txt"]


def test_search__a_word_nobody_used_is_found_by_its_synonym(cups):
    SynonymFactory(terms=["chalice", "grail"])
    (hit,) = [hit for hit in cups.search("chalice").hits if hit.receipt.keyword_score]
    assert hit.evidence.external_id == "grail.txt"
    assert hit.evidence.coverage == 1.0


def test_search__a_rare_synonym_counts_no_more_than_the_common_word(castle):
    """By rarity alone the one passage with the rare word would be first by far."""
    castle.add_all({f"knight-{number}.txt": "The knight waits." for number in range(9)})
    castle.add("paladin.txt", "The paladin waits.")
    SynonymFactory(terms=["knight", "paladin"])
    assert by_words(castle, "knight")[-1] == "paladin.txt"


def test_search__a_loop_of_synonyms_is_harmless(cups):
    for terms in (["grail", "cup"], ["cup", "chalice"], ["chalice", "grail"], ["grail", "Grail"]):
        SynonymFactory(terms=terms)
    result = cups.search("grail")
    assert result.interpretation["synonyms"] == {"grail": ["cup", "chalice"]}
    assert by_words(cups, "grail") == ["grail.txt", "cup.txt"]


def test_search__synonyms_in_other_scripts_and_with_signs(library):
    library.add("policy.txt", "返品は三十日以内に受け付けます")
    library.add("language.txt", "The engine is written in C++ throughout.")
    library.add("vitamin.txt", "Vitamin C is written on the box.")
    SynonymFactory(terms=["refund", "返品"])
    SynonymFactory(terms=["cpp", "C++"])
    assert by_words(library, "refund") == ["policy.txt"]
    assert by_words(library, "cpp") == ["language.txt"]


@pytest.fixture
def quarters(library):
    """Give reports that write the third quarter of a year in full, and one that does not."""
    library.add_all({f"report-{n}.txt": "Growth in the third quarter." for n in range(3)})
    library.add("order.txt", "The third order of a quarter of a ton.")
    library.add("slide.txt", "Margin in Q3.")
    return library


def test_search__a_period_as_the_documents_write_it(quarters):
    found = by_words(quarters, "What happened in Q3?")
    assert found[0] == "slide.txt"
    assert set(found[1:4]) == {"report-0.txt", "report-1.txt", "report-2.txt"}
    assert "slide.txt" not in by_words(quarters, "What happened in the third quarter?")
    interpretation = quarters.search("What happened in Q3?").interpretation
    assert interpretation["wordings"] == {"Q3": ["third quarter"]}
    result = quarters.search("What happened in Q3?", steps=EVERY_STEP - {Step.SYNONYMS})
    assert [hit.evidence.external_id for hit in result.hits if hit.receipt.keyword_rank] == [
        "slide.txt"
    ]
