"""Three passages about a grail, and asking for them on the page."""

from datetime import UTC, datetime

from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document
from knowledge.services import create_source, ensure_entity, store_document
from retrieval.seed import seed_profiles

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PAGE = "/admin/preview/"
QUESTION = "Where is the holy grail kept?"


def store_corpus():
    """Store the passages, one of them for the sales team alone."""
    seed_profiles()
    ensure_entity(name="Camelot")
    chronicle = create_source(name="Chronicle", type_slug="news_article", trust=0.9)
    rumours = create_source(name="Rumours", type_slug="blog_post", trust=0.2)
    store(chronicle, "castle.txt", "The holy grail is kept in the castle of Aaargh.")
    store(rumours, "rabbit.txt", "The holy grail is kept by a rabbit.", title="Rabbit")
    store(rumours, "price.txt", "The holy grail costs 12 shrubberies.", access_tags=("sales",))


def store(source, external_id, text, **values):
    facts = {"published_at": datetime(2026, 11, 1, tzinfo=UTC), "entities": ("Camelot",), **values}
    parsed = ParsedDocument(external_id=external_id, text=text, **facts)
    store_document(
        source=source,
        parsed=parsed,
        embedder=get_embedder(),
        tokenizer=get_tokenizer(),
        now=NOW,
    )


def ask(client, question=QUESTION, **filters):
    response = client.get(PAGE, {"question": question, **filters})
    assert response.status_code == 200
    return response


def document_id(external_id):
    return Document.objects.get(external_id=external_id).pk
