"""From a request to a query."""

from datetime import UTC, date, datetime

import pytest

from knowledge.models import EntityKind, SourceType
from knowledge.services import ensure_entity, ensure_source
from retrieval.query.parse import SearchRequest, build_query
from retrieval.query.steps import EVERY_STEP, NO_STEP, Step
from tests.factories.retrieval import IntentFactory, SynonymFactory
from tests.integration.retrieval.conftest import EVERYONE, NOW

pytestmark = pytest.mark.django_db


def described(question, *, tags=EVERYONE, **values):
    request = SearchRequest(question=question, **values)
    return build_query(request, reader_tags=tags, now=NOW).understanding.described


def test_build_query__names_of_sources_the_reader_may_know_of(seeded):
    ensure_source(name="Camelot Times", type_slug="news_article", access_tags=["knights"])
    question = "What does Camelot Times say?"
    assert described(question) == {}
    assert described(question, tags=EVERYONE | {"knights"}) == {
        "preferred": ["source Camelot Times"]
    }


def test_build_query__kinds_of_source_in_words_unless_they_are_given(seeded):
    question = "the notice period according to the contract"
    assert described(question) == {"preferred": ["source type contract"]}
    assert described(question, types=("email",)) == {}


def test_build_query__literally(seeded):
    question = "the latest price in the contract"
    assert set(described(question)) == {"recency", "preferred"}
    query = build_query(
        SearchRequest(question=question, steps=NO_STEP), reader_tags=EVERYONE, now=NOW
    )
    assert (query.understanding.described, query.topic) == ({}, question)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (Step.DATES, {"periods", "period last month"}),
        (Step.ENTITIES, {"entities"}),
        (Step.SOURCES, {"source Round Table"}),
        (Step.SYNONYMS, {"synonyms"}),
        (Step.INTENTS, {"intent prices"}),
    ],
)
def test_build_query__without_a_step(seeded, step, told):
    ensure_entity(name="King Arthur", kind=EntityKind.PERSON)
    ensure_source(name="Round Table", type_slug="email")
    SynonymFactory(terms=["cost", "price"])
    IntentFactory(slug="prices", keywords=["cost"]).preferred_types.set(
        SourceType.objects.filter(slug="contract")
    )
    question = "Did King Arthur name the cost last month in the Round Table?"

    def read(steps):
        found = described(question, steps=steps)
        return {*found, *found.pop("preferred", [])} - {"preferred"}

    assert read(EVERY_STEP) - read(EVERY_STEP - {step}) == told


def test_build_query__without_recency(seeded):
    assert set(described("the latest grail")) == {"recency"}
    request = SearchRequest(question="the latest grail", steps=EVERY_STEP - {Step.RECENCY})
    query = build_query(request, reader_tags=EVERYONE, now=NOW)
    assert (query.understanding.described, query.topic) == ({}, "the latest grail")


def test_build_query__periods_count_from_as_of_unless_days_are_given(seeded, settings):
    question = "raised last month, in Q1 FY31"
    as_of = datetime(2031, 3, 31, 12, tzinfo=UTC)
    wordings = {"Q1": ["first quarter"], "FY31": ["fiscal 2031"]}
    assert described(question, as_of=as_of) == {
        "wordings": wordings,
        "periods": [
            {"words": "last month", "since": "2031-02-01", "until": "2031-03-01"},
            {"words": "Q1 FY31", "since": None, "until": None},
        ],
        "preferred": ["period last month"],
    }
    since = date(2031, 1, 1)
    assert described(question, as_of=as_of, since=since) == {"wordings": wordings}
    settings.CRMIND_RETRIEVAL = {"FISCAL_YEAR_FIRST_MONTH": 4}
    _, fiscal = described(question, as_of=as_of)["periods"]
    assert (fiscal["since"], fiscal["until"]) == ("2030-04-01", "2030-08-15")


def test_build_query__entities_by_name_and_alias_unless_one_is_given(seeded):
    arthur, _ = ensure_entity(
        name="King Arthur", kind=EntityKind.PERSON, aliases=["Once and Future"]
    )
    ensure_entity(name="The", kind=EntityKind.PRODUCT)
    found = {"entities": {"King Arthur": str(arthur.pk)}}
    assert described("Where is King Arthur?") == found
    assert described("Where is King Arthur?", entity="King Arthur") == {}
    assert described("The horse of the Once and Future") == {
        "entities": {"Once and Future": str(arthur.pk)}
    }


def test_build_query__a_name_of_several_is_reported(seeded):
    for kind in (EntityKind.PERSON, EntityKind.PRODUCT):
        ensure_entity(name="Patsy", kind=kind)
    query = build_query(SearchRequest(question="Is Patsy in?"), reader_tags=EVERYONE, now=NOW)
    assert query.understanding.described == {"ambiguous": ["Patsy"]}
    assert query.understanding.warnings == (
        "Several entities are called 'Patsy'. Name one as the entity to search.",
    )
    assert query.understanding.entity_ids == ()


def test_build_query__intents_in_use(seeded):
    question = "What does a shrubbery cost?"
    intent = IntentFactory(slug="prices", keywords=["cost"], boost=0.08, penalty=0.0)
    intent.preferred_types.set(SourceType.objects.filter(slug="contract"))
    assert described(question) == {"preferred": ["intent prices"]}
    assert described(question, types=("email",)) == {"preferred": ["intent prices"]}
    intent.enabled = False
    intent.save()
    assert described(question) == {}


@pytest.fixture
def vaubert(castle):
    """Give an entity that a document names."""
    entity, _ = ensure_entity(
        name="Vaubert", kind=EntityKind.COMPANY, external_id="vaubert", aliases=["Maison du Pain"]
    )
    castle.add("order.txt", "The order of Vaubert was sent.", entities=("vaubert",))
    castle.add("other.txt", "The order of Hollis was sent.")
    return entity


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("Vaubertt", "Vaubert"),
        ("Vaubret", "Vaubert"),
        ("VAUBERRT", "Vaubert"),
        ("Maison du Pian", "Maison du Pain"),
    ],
)
def test_build_query__a_slip_in_a_name_or_alias(vaubert, asked, name):
    request = SearchRequest(question=f"When was the order of {asked} sent?")
    understanding = build_query(request, reader_tags=EVERYONE, now=NOW).understanding
    assert understanding.entity_ids == (vaubert.pk,)
    assert understanding.described == {
        "entities": {asked: str(vaubert.pk)},
        "corrected": {asked: name},
    }
    assert understanding.warnings == (f"{asked!r} was read as {name!r}.",)
    assert understanding.spelt_topic == f"When was the order of {name} sent?"


def test_build_query__what_stands_around_a_slip_is_kept(vaubert):
    request = SearchRequest(question="Is (Vaubertt's) latest order late?")
    query = build_query(request, reader_tags=EVERYONE, now=NOW)
    assert query.topic == "Is (Vaubertt's) order late?"
    assert query.spelt_topic == "Is (Vaubert's) order late?"


def test_build_query__without_a_slip_the_topic_is_spelt_as_it_is(vaubert):
    query = build_query(
        SearchRequest(question="When was the order of Vaubert sent?"),
        reader_tags=EVERYONE,
        now=NOW,
    )
    assert query.spelt_topic == query.topic == query.question


def test_search__a_slip_is_embedded_as_the_name_that_is_meant(castle, vaubert):
    castle.search("When was the order of Vaubertt sent?")
    assert castle.embedder.asked == ["When was the order of Vaubert sent?"]


def test_build_query__a_slip_between_two_names_is_told_not_guessed(vaubert):
    ensure_entity(name="Vauberto", kind=EntityKind.COMPANY)
    request = SearchRequest(question="When was the order of Vaubertz sent?")
    understanding = build_query(request, reader_tags=EVERYONE, now=NOW).understanding
    assert understanding.described == {"ambiguous": ["Vaubertz"]}
    assert understanding.entity_ids == ()
    assert understanding.warnings == (
        "Several entities are called nearly like 'Vaubertz'. Name one as the entity to search.",
    )


def test_build_query__a_word_that_documents_use_is_no_slip(vaubert):
    ensure_entity(name="Holliss", kind=EntityKind.COMPANY)
    assert described("When was the order of Hollis sent?") == {}


def test_build_query__an_entity_called_the_does_not_capture_questions(vaubert):
    ensure_entity(name="The", kind=EntityKind.PRODUCT)
    ensure_entity(name="Order", kind=EntityKind.PRODUCT, aliases=["a", "sent", "Teh"])
    for question in ("The order was sent", "Tha ordr was sentt", "the the The?", "The"):
        assert described(question) == {}


def test_search__a_slip_in_a_name_finds_what_is_filed_and_what_is_written(castle, vaubert):
    castle.add("press.txt", "Vaubert sent word of an order.")
    result = castle.search("When was the order of Vaubertt sent?")
    found = [hit.evidence.external_id for hit in result.hits]
    assert set(found[:2]) == {"order.txt", "press.txt"}
    assert result.hits[0].evidence.coverage == 1.0
