"""The same word written in other characters: found by its words, either way round."""

import pytest

from knowledge.lookalikes import mixed_words
from knowledge.models import Document
from retrieval.query.parse import clean_question
from retrieval.search.keyword import find_by_keyword, read_terms
from retrieval.search.scope import Scope
from retrieval.types import Filters
from tests.integration.retrieval.conftest import EVERYONE

pytestmark = pytest.mark.django_db

PAIRS = {
    "decomposed": [
        ("Caf\u00e9", "Cafe\u0301"),
        ("Z\u00fcrich", "Zu\u0308rich"),
        ("\u017di\u017ekov", "Z\u030ciz\u030ckov"),
        ("Nguy\u1ec5n", "Nguye\u0302\u0303n"),
        ("\u00c5ngstr\u00f6m", "A\u030angstro\u0308m"),
        ("na\u00efve", "nai\u0308ve"),
        ("\ud658\ubd88", "\u1112\u116a\u11ab\u1107\u116e\u11af"),
    ],
    "full width": [
        ("KX-4471-B", "\uff2b\uff38\uff0d\uff14\uff14\uff17\uff11\uff0d\uff22"),
        ("Camelot", "\uff23\uff41\uff4d\uff45\uff4c\uff4f\uff54"),
        ("880415", "\uff18\uff18\uff10\uff14\uff11\uff15"),
        ("lee@mill.example", "lee\uff20mill\uff0eexample"),
        ("\u30ab\u30e1\u30e9", "\uff76\uff92\uff97"),
    ],
    "compatibility": [
        ("finance", "\ufb01nance"),
        ("office", "o\ufb03ce"),
        ("effort", "e\ufb00ort"),
        ("floor", "\ufb02oor"),
        ("No88", "\u211688"),
        ("clause IV", "clause \u2163"),
        ("area m2", "area m\u00b2"),
        ("TEL 5521", "\u2121 5521"),
    ],
    "soft hyphen": [
        ("refund", "re\u00adfund"),
        ("warranty", "war\u00adran\u00adty"),
        ("TRX-88", "TR\u00adX-88"),
    ],
    "zero width": [
        ("shipment", "ship\u200bment"),
        ("coupon", "cou\u200cpon"),
        ("voucher", "vou\u200dcher"),
        ("balance", "bal\u2060ance"),
        ("ledger", "\ufeffledger"),
        ("ticket-5521", "ticket\u200b-55\u200b21"),
        ("pallet", "pal\ufe0flet"),
    ],
    "bidirectional": [
        ("receipt", "\u202ereceipt\u202c"),
        ("quota", "\u2066quota\u2069"),
        ("tariff", "tar\u200eiff"),
        ("audit", "\u202aaudit\u202c"),
        ("7720-3815", "\u200f7720-3815\u200f"),
    ],
}
CASES = [pair for pairs in PAIRS.values() for pair in pairs]
CYRILLIC = ["p\u0430ypal", "\u0410nthrax", "Northw\u0456nd", "Br\u0435nnecke", "C\u043ervane"]
WIDE = Scope(size=10**6, limit=5_000)
BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def found_by_words(library, question):
    found = find_by_keyword(
        read_terms(clean_question(question)),
        filters=Filters(access_tags=EVERYONE),
        depth=200,
        budget=3_000,
        scope=WIDE,
    )
    ids = [candidate.chunk_id for candidate in found.candidates]
    return set(Document.objects.filter(chunks__in=ids).values_list("external_id", flat=True))


@pytest.mark.parametrize("is_odd_stored", [False, True], ids=["odd asked", "odd stored"])
def test_search__the_same_word_in_other_characters(library, is_odd_stored):
    plain, odd = zip(*CASES, strict=True)
    stored, asked = (odd, plain) if is_odd_stored else (plain, odd)
    library.add_all({str(number): f"Note on {word}." for number, word in enumerate(stored)})
    missed = [
        CASES[number]
        for number, word in enumerate(asked)
        if str(number) not in found_by_words(library, word)
    ]
    assert len(CASES) + len(CYRILLIC) == 40
    assert missed == []


@pytest.mark.parametrize("name", CYRILLIC)
def test_store__a_name_of_two_alphabets_is_flagged(library, name):
    assert mixed_words(name) == [name]
    document = library.add("odd.txt", f"An invoice of {name}.", title=name)
    assert [warning for warning in document.warnings if name in warning] == [
        warning for warning in document.warnings if warning.startswith("Mixed alphabets:")
    ]
    assert document.warnings


def test_store__characters_that_turn_text_around_are_nowhere(library, admin_client):
    spoof = "invoice_\u202efdp.exe \u2066x\u2069"
    document = library.add("odd.txt", f"See {spoof}.", title=spoof, metadata={"file": spoof})
    assert document.title == "invoice_fdp.exe x"
    assert "4 bidirectional" not in " ".join(document.warnings)
    assert any("bidirectional control characters removed" in each for each in document.warnings)
    hit = library.search("invoice").hits[0]
    pages = [
        admin_client.get(f"/admin/knowledge/document/{document.pk}/change/").content.decode(),
        admin_client.get("/admin/preview/", {"question": "invoice"}).content.decode(),
    ]
    for shown in (hit.evidence.text, hit.evidence.title, *pages):
        assert not set(shown) & set(BIDI_CONTROLS)
        assert "fdp.exe" in shown
