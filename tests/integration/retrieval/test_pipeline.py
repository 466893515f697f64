"""Searching a real database, from the question to the hits."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import EmbeddingError
from knowledge.models import Document, EntityKind, Source, SourceType
from knowledge.services import (
    ensure_entity,
    retire_document,
    set_access_tags,
    set_document_trust,
    supersede_document,
    update_source,
)
from retrieval.exceptions import InvalidQuestionError, UnknownProfileError
from retrieval.models import SearchLog
from retrieval.pipeline import build_context, search
from retrieval.query.parse import SearchRequest
from retrieval.ranking.blend import recompute_score
from retrieval.services import get_profile
from retrieval.types import Verdict
from tests.integration.retrieval.conftest import NOW, CountingEmbedder

pytestmark = pytest.mark.django_db

CODES = {
    "module.txt": "Module KX-4471-B replaces an older one",
    "case.txt": "Case 7720-3815 closed",
    "part.txt": "Part TRX/88-10 in stock",
    "ticket.txt": "Ticket orbit-5521 open",
}


@pytest.fixture
def codes(library):
    """Give four documents with codes among twenty without."""
    library.add_all(CODES)
    library.add_all(
        {
            f"other-{number}.txt": f"The module of hall {'x' * number} is closed"
            for number in range(1, 21)
        }
    )
    return library


def test_search__the_best_hit_holds_the_words(castle):
    result = castle.search("Who carries a coconut?")
    assert result.hits[0].evidence.external_id == "swallow.txt"
    assert result.hits[0].receipt.keyword_rank == 1
    assert result.hits[0].receipt.vector_rank == 1
    assert result.judgment.verdict is Verdict.ANSWERABLE
    assert result.profile == "balanced"
    assert result.interpretation == {"terms": ["carri", "coconut"], "unknown_terms": []}
    assert result.is_complete
    assert not result.is_degraded
    assert set(result.timings_ms) == {
        "embed",
        "terms",
        "arms",
        "evidence",
        "rerank",
        "rank",
        "keyword",
        "vector",
    }


def test_search__every_receipt_gives_its_score(castle):
    hits = castle.search("holy grail or rabbit").hits
    assert len(hits) == 4
    assert all(recompute_score(hit.receipt) == hit.score for hit in hits)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]


def test_search__words_that_nobody_used_are_no_evidence(castle):
    result = castle.search("vrolk tindabesh quoopal")
    assert result.judgment.verdict is Verdict.NONE
    assert result.judgment.best_coverage == 0.0
    assert result.interpretation["unknown_terms"] == ["quoopal", "tindabesh", "vrolk"]
    assert build_context(result).text == ""


def test_build_context__cites_the_hits(castle):
    context = build_context(castle.search("Who carries a coconut?"))
    assert context.citations[0].chunk_ids == (castle.chunk_id("swallow.txt"),)
    assert "An unladen swallow carries a coconut by the husk." in context.text


@pytest.mark.parametrize(
    ("question", "external_id"),
    [
        ("KX-4471-B", "module.txt"),
        ("kx4471b", "module.txt"),
        ("4471", "module.txt"),
        ("4471-B", "module.txt"),
        ("3815", "case.txt"),
        ("88-10", "part.txt"),
        ("TRX-88-10", "part.txt"),
        ("orbit 5521", "ticket.txt"),
    ],
)
def test_search__part_of_a_code(codes, question, external_id):
    result = codes.search(question)
    assert result.hits[0].evidence.external_id == external_id
    assert result.hits[0].receipt.keyword_rank == 1
    assert result.hits[0].evidence.coverage == pytest.approx(1.0)


def test_search__a_code_that_differs_in_one_digit_matches_no_code(codes):
    hits = codes.search("4472", top_k=100).hits
    matched = {hit.evidence.external_id for hit in hits if hit.receipt.keyword_rank is not None}
    assert matched == set()
    assert {hit.evidence.coverage for hit in hits} == {0.0}


@pytest.mark.parametrize(
    "question",
    ["the", "to be or not to be", "-refund", "!grail", "grail & !castle", "'", "\\", "a:*"],
)
def test_search__no_question_matches_by_what_it_does_not_say(castle, question):
    hits = castle.search(question).hits
    matched = {hit.evidence.external_id for hit in hits if hit.receipt.keyword_rank is not None}
    assert matched <= {"grail.txt"}


def test_search__a_minus_is_no_negation(library):
    library.add("cold.txt", "The setpoint is -20 in the cold store.")
    library.add("warm.txt", "The setpoint is 35 in the hall.")
    assert library.found("setpoint -20")[0] == "cold.txt"


def test_search__twelve_that_tie_keep_their_order(library):
    library.add_all({f"copy-{number:02}.txt": "Spam, spam and eggs." for number in range(12)})
    orders = {tuple(library.found("spam and eggs", top_k=12)) for _ in range(20)}
    assert len(orders) == 1
    (order,) = orders
    assert len(set(order)) == 12
    for top_k in (1, 5, 11):
        assert tuple(library.found("spam and eggs", top_k=top_k)) == order[:top_k]


def test_search__dates_ahead_past_and_missing(library):
    library.add("north.txt", "Support desk opens at 08:00 (north office)")
    library.add(
        "south.txt",
        "Support desk opens at 08:00 (south office)",
        published_at=NOW + timedelta(days=400),
    )
    library.add(
        "west.txt",
        "Support desk opens at 08:00 (west office)",
        published_at=NOW - timedelta(days=30),
    )
    SourceType.objects.update(half_life_days=180)
    hits = library.search("support desk opens").hits
    assert {hit.evidence.external_id: hit.receipt.freshness for hit in hits} == pytest.approx(
        {"north.txt": 0.5, "south.txt": 1.0, "west.txt": 0.891}, abs=1e-3
    )
    assert {hit.evidence.external_id: hit.receipt.age_days for hit in hits} == {
        "north.txt": None,
        "south.txt": 0.0,
        "west.txt": 30.0,
    }
    assert all(np.isfinite(hit.score) for hit in hits)


@pytest.fixture
def quarter_end(library):
    """Give three documents around the end of a quarter, and one without a date."""
    for name, moment in {
        "midnight.txt": datetime(2031, 3, 31, tzinfo=UTC),
        "evening.txt": datetime(2031, 3, 31, 18, 45, tzinfo=UTC),
        "april.txt": datetime(2031, 4, 1, tzinfo=UTC),
        "undated.txt": None,
    }.items():
        library.add(name, f"Quarterly report {name}", published_at=moment)
    return library


def test_search__the_last_day_is_whole(quarter_end):
    until = date(2031, 3, 31)
    assert set(quarter_end.found("report", until=until)) == {"midnight.txt", "evening.txt"}
    assert set(quarter_end.found("report", since=until)) == {
        "midnight.txt",
        "evening.txt",
        "april.txt",
    }
    both = quarter_end.found("report", since=until, until=until)
    assert set(both) == {"midnight.txt", "evening.txt"}
    exactly = quarter_end.found("report", until=datetime(2031, 3, 31, tzinfo=UTC))
    assert exactly == ["midnight.txt"]


def test_search__later_documents_do_not_exist_yet(quarter_end):
    result = quarter_end.search("report", as_of=datetime(2031, 3, 31, 20, tzinfo=UTC))
    ages = {hit.evidence.external_id: hit.receipt.age_days for hit in result.hits}
    assert ages == {
        "midnight.txt": pytest.approx(20 / 24),
        "evening.txt": pytest.approx(1.25 / 24),
        "undated.txt": None,
    }


@pytest.mark.parametrize(
    "question", ["", "   ", "\u200b", "\x00", "abc\x00def", "\ud800", "w " * 9_999]
)
def test_search__a_bad_question_touches_nothing(library, django_assert_num_queries, question):
    with django_assert_num_queries(0), pytest.raises(InvalidQuestionError) as caught:
        library.search(question)
    assert caught.value.field == "question"
    assert library.embedder.asked == []


def test_search__only_what_the_reader_may_see(castle):
    set_access_tags(document=Document.objects.get(external_id="grail.txt"), access_tags=["knights"])
    assert "grail.txt" not in castle.found("grail castle")
    knights = frozenset({"knights"})
    assert castle.found("grail castle", tags=knights)[0] == "grail.txt"
    assert "grail.txt" not in castle.found("grail castle", tags=knights, access_tags=frozenset())


def test_search__retired_documents_and_sources_switched_off_are_not_found(castle):
    document = Document.objects.get(external_id="grail.txt")
    retire_document(document=document)
    assert "grail.txt" not in castle.found("grail castle")
    update_source(source=document.source, enabled=False)
    assert castle.found("grail castle") == []


def test_search__about_an_entity(library):
    ensure_entity(name="King Arthur", kind=EntityKind.PERSON, external_id="arthur")
    library.add("arthur.txt", "He rides to the castle.", entities=("arthur",))
    library.add("patsy.txt", "He walks to the castle.")
    assert library.found("castle", entity="King Arthur") == ["arthur.txt"]
    assert library.found("castle", entity="ARTHUR") == ["arthur.txt"]


def test_search__of_a_source_and_of_a_kind(library):
    library.add("blog.txt", "The castle of Camelot.", source="Blog")
    library.add("mail.txt", "The castle of Camelot.", source="Mail", type_slug="email")
    assert library.found("castle", sources=("blog",)) == ["blog.txt"]
    assert library.found("castle", types=("email",)) == ["mail.txt"]
    assert library.found("castle", types=("email",), sources=("Blog",)) == []


def test_search__trust_decides_between_equals(library):
    library.add_all({"one.txt": "The bridge is open.", "two.txt": "The bridge is open."})
    assert library.found("bridge open") == ["one.txt", "two.txt"]
    set_document_trust(document=Document.objects.get(external_id="one.txt"), trust=0.1)
    result = library.search("bridge open")
    assert [(hit.evidence.external_id, hit.receipt.trust) for hit in result.hits] == [
        ("two.txt", 0.7),
        ("one.txt", 0.1),
    ]


def test_search__a_document_cannot_raise_the_trust_of_its_source(library):
    document = library.add("boast.txt", "Trust me, the bridge is open.")
    set_document_trust(document=document, trust=1.0)
    (hit,) = library.search("bridge").hits
    assert hit.receipt.trust == 0.7


def test_search__authority_of_the_source_before_that_of_its_kind(library):
    document = library.add("boast.txt", "The bridge is open.")
    assert library.search("bridge").hits[0].receipt.authority == 0.6
    update_source(source=document.source, authority_override=0.2)
    assert library.search("bridge").hits[0].receipt.authority == 0.2


def test_search__a_successor_comes_first_from_its_own_date_on(library):
    old = library.add("v1.txt", "Refunds within 14 days.", published_at=NOW - timedelta(days=90))
    new = library.add("v2.txt", "Refunds within 30 days.", published_at=NOW - timedelta(days=9))
    supersede_document(old=old, new=new, now=NOW)
    result = library.search("refunds within 14 days")
    assert [hit.evidence.external_id for hit in result.hits] == ["v2.txt", "v1.txt"]
    assert result.hits[1].receipt.superseded_by == "v2.txt"
    assert result.hits[1].score == pytest.approx(result.hits[0].score, abs=1e-5)
    only_old = library.search("refunds within 14 days", until=(NOW - timedelta(days=60)).date())
    (hit,) = only_old.hits
    assert set(hit.receipt.boosts) == {"superseded"}
    assert (hit.evidence.successor_ids, hit.receipt.superseded_by) == ((new.pk,), "")
    earlier = library.search("refunds within 14 days", as_of=NOW - timedelta(days=30))
    assert [hit.receipt.boosts for hit in earlier.hits] == [{}]


def test_search__the_latest_of_a_chain_comes_first_even_without_the_link_between(library):
    versions = [
        library.add(f"v{year}.txt", text, published_at=NOW - timedelta(days=9000 - year))
        for year, text in ((1, "Refunds in 14 days."), (2, "Returns."), (3, "Refunds in 9 days."))
    ]
    for old, new in pairwise(versions):
        supersede_document(old=old, new=new, now=NOW)
    assert library.found("refunds in 14 days") == ["v3.txt", "v2.txt", "v1.txt"]
    retire_document(document=versions[1])
    hits = library.search("refunds in 14 days").hits
    assert [hit.evidence.external_id for hit in hits] == ["v3.txt", "v1.txt"]
    assert hits[1].evidence.successor_ids == (versions[2].pk,)


@pytest.mark.parametrize("profile", [{"keyword_weight": 0.0}, {"vector_weight": 0.0}])
def test_search__an_arm_without_weight_is_not_asked(castle, profile):
    chosen = replace(get_profile(), **profile)
    result = search(
        SearchRequest(question="coconut"),
        reader_tags=frozenset(),
        now=NOW,
        embedder=castle.embedder,
        profile=chosen,
    )
    asked = "vector" if "keyword_weight" in profile else "keyword"
    other = "keyword" if asked == "vector" else "vector"
    assert asked in result.timings_ms
    assert other not in result.timings_ms
    assert result.hits[0].evidence.external_id == "swallow.txt"
    assert result.hits[0].receipt.relevance == pytest.approx(1.0)


class ZeroEmbedder(HashingEmbedder):
    """Returns a vector that is near to everything."""

    def embed_query(self, text):
        return np.zeros(384, dtype=np.float32)


class NotANumberEmbedder(HashingEmbedder):
    """Returns a vector without numbers."""

    def embed_query(self, text):
        return np.full(384, np.nan, dtype=np.float32)


@pytest.mark.parametrize(
    ("embedder", "warning"),
    [
        (CountingEmbedder(fault=EmbeddingError("The model is away.")), "The model is away."),
        (ZeroEmbedder(), "is zero"),
        (NotANumberEmbedder(), "NaN"),
        (HashingEmbedder(dimensions=64), "Vectors of two models cannot be compared"),
    ],
)
def test_search__without_a_vector_words_still_answer(castle, embedder, warning):
    result = castle.search("unladen swallow", embedder=embedder)
    assert result.is_degraded
    assert warning in result.warnings[0]
    assert [hit.evidence.external_id for hit in result.hits] == ["swallow.txt"]
    assert result.hits[0].receipt.vector_rank is None
    assert result.judgment.verdict is Verdict.WEAK


def test_search__an_empty_knowledge_base_has_no_evidence(library):
    result = library.search("Is anybody there?")
    assert (result.hits, result.is_degraded) == ((), False)
    assert result.judgment.verdict is Verdict.NONE
    assert library.embedder.asked == []


def test_search__a_vector_that_is_known_is_not_computed_again(castle):
    request = SearchRequest(question="unladen swallow")
    vector = HashingEmbedder().embed_query(request.question)
    result = search(
        request, reader_tags=frozenset(), now=NOW, embedder=castle.embedder, query_vector=vector
    )
    assert castle.embedder.asked == []
    assert result.hits[0].receipt.vector_rank == 1


def test_search__copies_stand_with_the_best_one(library):
    text = "The grail is kept in the castle of Anthrax, behind the third door on the left."
    library.add("trusted.txt", text, source="Chronicle", title="Chronicle")
    library.add_all({f"copy-{number}.txt": text for number in "abc"}, source="Rumours")
    library.add("secret.txt", text, source="Court", access_tags=("court",))
    library.add("other.txt", text.replace("third", "second"), source="Rumours")
    update_source(source=Source.objects.get(name="Chronicle"), trust=1.0)
    hits = library.search("where is the grail kept?", tags=frozenset({"court"})).hits
    assert [hit.evidence.external_id for hit in hits] == ["trusted.txt", "secret.txt", "other.txt"]
    assert [(each.title, each.source_name) for each in hits[0].duplicates] == [
        (f"copy-{number}.txt", "Rumours") for number in "abc"
    ]
    assert hits[1].duplicates == hits[2].duplicates == ()


def test_search__one_document_does_not_fill_the_page(library):
    library.add("long.txt", "\n\n".join(f"# Part {n}\n\nSpam, spam and eggs." for n in range(9)))
    library.add("short.txt", "Spam on toast.")
    result = library.search("spam")
    capped = [hit.evidence.external_id for hit in result.hits if hit.receipt.cap == "document"]
    place = [hit.evidence.external_id for hit in result.hits].index("short.txt")
    assert all(hit.receipt.cap == "" for hit in result.hits[: place + 1])
    assert set(capped) <= {"long.txt"}


def test_search__is_logged(castle):
    result = castle.search("unladen swallow", top_k=1)
    log = SearchLog.objects.get()
    assert (log.question, log.verdict, log.profile_slug, log.origin) == (
        "unladen swallow",
        result.judgment.verdict.value,
        "balanced",
        "api",
    )
    assert log.chunk_ids == [castle.chunk_id("swallow.txt")]
    assert log.filters == {"access_tags": ["everyone"]}


def test_search__logging_can_be_switched_off(castle, settings):
    settings.CRMIND_RETRIEVAL = {"IS_SEARCH_LOGGED": False}
    castle.search("unladen swallow")
    assert not SearchLog.objects.exists()


def test_search__questions_can_be_kept_as_hashes_only(castle, settings):
    settings.CRMIND_RETRIEVAL = {"SEARCH_LOG_QUESTIONS": "hashed"}
    for question in ("Who carries a coconut?", "who carries a COCONUT?", "Where is the grail?"):
        castle.search(question)
    first, second, third = SearchLog.objects.order_by("id")
    assert (first.question, first.interpretation) == ("", {})
    assert first.question_hash == second.question_hash != third.question_hash
    assert (first.verdict, len(first.chunk_ids)) == ("answerable", 4)
    assert "coconut" not in str(vars(first)).casefold()


@pytest.mark.parametrize(
    "wrong",
    [{"SEARCH_LOG_QUESTIONS": "secret"}, {"SEARCH_LOG_DAYS": 0}, {"RERANKER_DEPTH": -1}],
    ids=str,
)
def test_search__a_wrong_setting_is_named(castle, settings, wrong):
    settings.CRMIND_RETRIEVAL = wrong
    (name,) = wrong
    with pytest.raises(ImproperlyConfigured, match=name):
        castle.search("Who carries a coconut?")


def test_search__an_unknown_profile(castle):
    with pytest.raises(UnknownProfileError, match=r"'nope'.*Published are: balanced") as caught:
        castle.search("swallow", profile="nope")
    assert caught.value.field == "profile"


def test_search__few_statements(castle, django_assert_max_num_queries):
    with django_assert_max_num_queries(17):
        castle.search("unladen swallow")


def test_search__each_arm_scores_what_only_the_other_found(castle):
    """One passage an arm: the words are of the grail, the vector is that of the swallow."""
    shallow = replace(get_profile(), keyword_depth=1, vector_depth=1)
    request = SearchRequest(question="The grail of Anthrax, and a coconut")
    vector = HashingEmbedder().embed_query("An unladen swallow carries a coconut by the husk.")

    def receipts(profile):
        result = search(
            request,
            reader_tags=frozenset(),
            now=NOW,
            embedder=castle.embedder,
            query_vector=vector,
            profile=profile,
        )
        return {hit.evidence.external_id: hit.receipt for hit in result.hits}

    found, deep = receipts(shallow), receipts(get_profile())
    assert set(found) == {"grail.txt", "swallow.txt"}
    assert (found["grail.txt"].keyword_rank, found["grail.txt"].vector_rank) == (1, None)
    assert (found["swallow.txt"].keyword_rank, found["swallow.txt"].vector_rank) == (None, 1)
    for name, receipt in found.items():
        assert receipt.keyword_score == pytest.approx(deep[name].keyword_score)
        assert receipt.vector_score == pytest.approx(deep[name].vector_score)

    by_rank = receipts(replace(shallow, fusion="rrf"))
    assert by_rank["grail.txt"].vector_score is None
    assert by_rank["swallow.txt"].keyword_score is None


def test_search__what_is_filed_under_the_entity_named(library):
    arthur, _ = ensure_entity(name="King Arthur", kind=EntityKind.PERSON, external_id="arthur")
    library.add("notes.txt", "We spoke of the coconut.", entities=(arthur.external_id,))
    library.add("swallow.txt", "A swallow carries a coconut; a coconut is heavy.")
    result = library.search("What did King Arthur say of the coconut?")
    assert [hit.evidence.external_id for hit in result.hits] == ["notes.txt", "swallow.txt"]
    assert set(result.hits[1].receipt.boosts) == {"elsewhere"}
    assert result.interpretation["entities"] == {"King Arthur": str(arthur.pk)}
    literal = library.search("What did King Arthur say of the coconut?", understanding=False)
    assert all(hit.receipt.boosts == {} for hit in literal.hits)
    assert "entities" not in literal.interpretation


def test_search__an_entity_that_nothing_is_filed_under_hides_nothing(castle):
    ensure_entity(name="Brother Maynard", kind=EntityKind.PERSON)
    assert castle.found("Where does Brother Maynard keep the grail?")[0] == "grail.txt"
