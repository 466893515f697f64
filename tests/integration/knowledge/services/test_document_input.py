"""What of a document is refused, mended or warned about."""

import pytest

from knowledge.exceptions import InvalidDocumentError
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document
from knowledge.services import Outcome, store_documents
from tests.factories.knowledge import EntityFactory
from tests.integration.knowledge.conftest import NOW
from tests.integration.knowledge.services.stored import SHORT_CHUNKS, found_by_words


def test_store_document__says_what_names_mean_nothing(shelf):
    EntityFactory(name="Smith")
    EntityFactory(name="Smith")

    outcome = shelf.store(text="x y", entities=("Smith", "Nobody"), source_type="leaflet")

    assert outcome.warnings == (
        "2 entities are called 'Smith'; name one by its external id.",
        "There is no entity 'Nobody'; the document is not linked to it.",
        "type: there is no source type 'leaflet'; counted as unknown.",
    )
    assert Document.objects.get().source_type.slug == "unknown"


def test_store_document__nul_characters_go(shelf):
    """Case B09."""
    texts = [
        "Invoice 88-103 total 12.00 EUR",
        "Invoice 88-104\x00 total 19.90\x00 EUR\x0b",
        "Invoice 88-105 total 7.00 EUR",
    ]
    metadata = [{}, {"tier": "VIP\u0000"}, {}]

    documents = [
        ParsedDocument(external_id=f"{number}.txt", text=text, metadata=facts)
        for number, (text, facts) in enumerate(zip(texts, metadata, strict=True))
    ]
    outcomes = list(store_documents(parsed=documents, **shelf.tools))

    assert [outcome.outcome for outcome in outcomes] == [Outcome.ADDED] * 3
    assert found_by_words("88-104") == {"Invoice 88-104 total 19.90 EUR"}
    document = Document.objects.get(external_id="1.txt")
    assert document.metadata == {"tier": "VIP"}
    assert "3 NUL characters removed" in document.warnings


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"external_id": " "}, "external_id"),
        ({"external_id": "a\x00b"}, "external_id"),
        ({"external_id": "a" * 1001}, "external_id"),
        ({"trust": 1.5}, "trust"),
        ({"language": "klingon"}, "language"),
        ({"access_tags": ("No Spaces",)}, "access_tags"),
        ({"valid_from": NOW, "valid_until": NOW}, "valid_until"),
    ],
)
def test_store_document__refuses_and_stores_nothing(shelf, values, field):
    with pytest.raises(InvalidDocumentError, match=f"^{field}: ") as caught:
        shelf.store(**{"text": "Blue lantern policy", **values})

    assert caught.value.field == field
    assert not Document.objects.exists()
    assert shelf.embedder.calls == 0


def test_store_document__too_long_a_text(shelf, settings):
    settings.CRMIND_KNOWLEDGE = {**SHORT_CHUNKS, "MAX_DOCUMENT_CHARACTERS": 10}

    with pytest.raises(
        InvalidDocumentError, match=r"^text: 11 characters; at most 10 are taken\.$"
    ):
        shelf.store(text="a" * 11)


def test_store_document__odd_names_are_mended(shelf):
    outcome = shelf.store(
        text="Blue lantern policy",
        title="t" * 1200,
        url="https://example.com/" + "u" * 2000,
        entities=("\x00",),
        source_type="no\x00type",
        supersedes="\ud800",
    )

    document = Document.objects.get()
    assert outcome.outcome == Outcome.ADDED
    assert (len(document.title), document.url) == (1000, "")
    assert "The title has 1200 characters and was cut." in document.warnings
    assert "The address has 2020 characters and was left out." in document.warnings
