"""What the browser tests find stored: a company that rents out holy grails."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from crmind.roles import seed_roles
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document, Source
from knowledge.seed import seed_source_types
from knowledge.services import create_source, ensure_entity, store_document
from knowledge.services.terms import refresh_term_statistics
from retrieval.seed import seed_intents, seed_profiles

CASTLE = (
    "# Where the grail is\n\nThe holy grail is kept in the castle of Aaargh, behind the bridge of"
    " death.\n\n# Who guards it\n\nThe bridge is guarded by an old man who asks three questions."
)
PRICES = "# Prices\n\nRenting the holy grail costs 12 shrubberies a day, delivery included."
RABBIT = "The holy grail is kept by a white rabbit with big, pointy teeth."


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """The rows that tests go to."""

    chronicle: Source
    rumours: Source
    castle: Document
    prices: Document
    rabbit: Document


def fill_stock() -> Stock:
    """Store two sources, an entity and three documents."""
    seed_source_types()
    seed_profiles()
    seed_intents()
    seed_roles()
    ensure_entity(name="Camelot", aliases=["The round table"])
    chronicle = create_source(name="Chronicle", type_slug="news_article", trust=0.9)
    rumours = create_source(name="Rumours", type_slug="blog_post", trust=0.3)
    stock = Stock(
        chronicle=chronicle,
        rumours=rumours,
        castle=store(chronicle, "castle.md", CASTLE, title="The castle of Aaargh", age_days=20),
        prices=store(chronicle, "prices.md", PRICES, title="Price list", age_days=90),
        rabbit=store(rumours, "rabbit.txt", RABBIT, title="Rabbit", age_days=5),
    )
    refresh_term_statistics()
    return stock


def store(source, external_id, text, *, age_days, **values):
    """Store a document that was published so many days ago."""
    now = timezone.now().astimezone(UTC)
    parsed = ParsedDocument(
        external_id=external_id,
        text=text,
        published_at=datetime(now.year, now.month, now.day, tzinfo=UTC) - timedelta(days=age_days),
        entities=("Camelot",),
        **values,
    )
    outcome = store_document(
        source=source,
        parsed=parsed,
        embedder=get_embedder(),
        tokenizer=get_tokenizer(),
        now=now,
    )
    return Document.objects.get(pk=outcome.document_id)
