"""Why a document is not among the hits."""

from datetime import date, timedelta

import pytest

from knowledge.exceptions import UnknownDocumentError
from knowledge.models import Chunk, Document, EntityKind
from knowledge.services import (
    ensure_entity,
    retire_document,
    supersede_document,
    switch_chunk,
    update_source,
)
from retrieval.query.parse import SearchRequest
from retrieval.services import get_profile
from retrieval.why_not import WantedDocument, why_not
from tests.integration.retrieval.conftest import EVERYONE, NOW

pytestmark = pytest.mark.django_db
LONG = "The grail is kept in the castle of Anthrax, behind the third door on the left."


def ask(library, question, external_id, *, tags=EVERYONE, knows_all=False, profile=None, **values):
    return why_not(
        SearchRequest(question=question, **values),
        WantedDocument(external_id=external_id),
        reader_tags=tags,
        now=NOW,
        knows_all=knows_all,
        embedder=library.embedder,
        profile=profile,
    )


def test_why_not__it_is_there(castle):
    told = ask(castle, "Where is the grail?", "grail.txt")
    assert (told.rank, told.top_k, told.source_name) == (1, 10, "Camelot")
    assert told.reasons[0] == "It stands at place 1, among those shown."
    assert told.reasons[1].startswith("relevance 1.000: rank 1 by words")
    assert told.similarity > 0
    assert told.keyword_score > 0


def test_why_not__beyond_what_is_shown(castle):
    told = ask(castle, "Where is the grail?", "rabbit.txt", top_k=1)
    assert told.rank > 1
    assert told.reasons[0] == f"It stands at place {told.rank}, beyond the 1 shown."


def test_why_not__beyond_the_depth_of_both_arms(castle):
    profile = get_profile()
    shallow = type(profile)(slug="balanced", keyword_depth=1, vector_depth=1)
    told = ask(castle, "grail in the castle of Anthrax", "rabbit.txt", profile=shallow)
    assert told.rank is None
    assert told.reasons == (
        "By words it is not among the best 1: it holds none of them.",
        f"By meaning it is not among the best 1: its similarity is {told.similarity:.3f}.",
    )
    assert (told.keyword_score, told.similarity) == (None, pytest.approx(told.similarity))


def test_why_not__unknown_as_long_as_the_reader_may_not_see_it(library):
    library.add("secret.txt", "The grail is in Camelot.", access_tags=("court",))
    with pytest.raises(UnknownDocumentError) as secret:
        ask(library, "grail", "secret.txt")
    with pytest.raises(UnknownDocumentError) as missing:
        ask(library, "grail", "nothing.txt")
    assert str(secret.value) == str(missing.value)
    assert ask(library, "grail", "secret.txt", tags=frozenset({"court"})).rank == 1
    told = ask(library, "grail", "secret.txt", knows_all=True)
    assert told.rank is None
    assert told.reasons == (
        "This reader may not see it: it is for court, and the reader has everyone.",
    )


def test_why_not__narrowed_by_the_reader_itself(library):
    library.add("secret.txt", "The grail is in Camelot.", access_tags=("court",))
    told = ask(library, "grail", "secret.txt", tags=frozenset({"court"}), access_tags=frozenset())
    assert told.reasons[0].startswith("This reader may not see it")


@pytest.mark.parametrize(
    ("narrowed", "reason"),
    [
        ({"entity": "Arthur"}, "Filtered out: it is not about the entity asked for."),
        (
            {"sources": ("Court",)},
            "Filtered out: it is of the source Camelot, not of those asked for.",
        ),
        (
            {"types": ("email",)},
            "Filtered out: it is of another kind of source than asked for.",
        ),
        (
            {"since": date(2031, 7, 1)},
            "Filtered out: it is dated 2031-06-20 12:00, and only later documents are asked for.",
        ),
        (
            {"until": date(2031, 6, 1)},
            "Filtered out: it is dated 2031-06-20 12:00, and only earlier documents are asked for.",
        ),
        (
            {"as_of": NOW - timedelta(days=90)},
            "It did not exist yet: it is dated 2031-06-20 12:00, later than the time asked about.",
        ),
    ],
)
def test_why_not__filtered_out(library, narrowed, reason):
    ensure_entity(kind=EntityKind.PERSON, name="Arthur")
    library.add("other.txt", "Nothing.", source="Court")
    library.add("grail.txt", "The grail is here.", published_at=NOW - timedelta(days=30))
    told = ask(library, "grail", "grail.txt", **narrowed)
    assert (told.rank, told.reasons) == (None, (reason,))


def test_why_not__not_searched(castle):
    retire_document(document=Document.objects.get(external_id="bridge.txt"), reason="Sold.")
    told = ask(castle, "bridge", "bridge.txt")
    assert told.reasons == ("It is not searched: its state is retired (Sold.).",)
    switch_chunk(chunk=Chunk.objects.get(pk=castle.chunk_id("rabbit.txt")), off=True)
    told = ask(castle, "rabbit", "rabbit.txt")
    assert told.reasons == ("It is not searched: a curator switched all its passages off.",)
    update_source(source=Document.objects.get(external_id="grail.txt").source, enabled=False)
    told = ask(castle, "grail", "grail.txt")
    assert told.reasons == ("It is not searched: its source Camelot is switched off.",)


def test_why_not__stands_behind_its_successor(library):
    old = library.add("v1.txt", "Refunds within 14 days.", published_at=NOW - timedelta(days=90))
    new = library.add("v2.txt", "Refunds within 30 days.", published_at=NOW - timedelta(days=9))
    supersede_document(old=old, new=new, now=NOW)
    told = ask(library, "refunds within 14 days", "v1.txt")
    assert told.rank == 2
    assert told.reasons[-1] == "superseded by v2.txt, and stands behind it"


def test_why_not__a_copy_of_what_is_shown(library):
    library.add_all({"first.txt": LONG, "second.txt": LONG})
    told = ask(library, "grail behind the third door", "second.txt")
    assert told.reasons == (
        "It says the same as first.txt, which stands for both at place 1, among those shown.",
    )


def test_why_not__an_external_id_of_two_sources_needs_its_source(library):
    library.add("same.txt", "The grail.", source="Camelot")
    library.add("same.txt", "The rabbit.", source="Caerbannog")
    with pytest.raises(UnknownDocumentError, match="name the source too"):
        ask(library, "grail", "same.txt")
    told = why_not(
        SearchRequest(question="grail"),
        WantedDocument(external_id="same.txt", source="caerbannog"),
        reader_tags=EVERYONE,
        now=NOW,
        embedder=library.embedder,
    )
    assert told.source_name == "Caerbannog"
