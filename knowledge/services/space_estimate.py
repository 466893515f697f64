"""What embedding everything by another model would take, measured on a sample."""

from dataclasses import dataclass
from time import perf_counter

from django.db.models import Count, Max, Min, Q, Sum

from knowledge.conf import knowledge_settings
from knowledge.embedding.base import EmbeddingSpec
from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.registry import embedder_for
from knowledge.ingestion import store
from knowledge.ingestion.passages import DEFAULT_MAX_TOKENS
from knowledge.models import Chunk, ChunkEmbedding
from knowledge.services.vectors import embed_texts

SAMPLE_CHUNKS = 32
BYTES_PER_NUMBER = 4
# Of the index: half precision, and the links of a node (16 neighbours twice, 6 bytes each).
INDEX_BYTES_PER_NUMBER = 2
INDEX_BYTES_PER_VECTOR = 200
ROW_BYTES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The work ahead. `tokens` are counted by the model in use; `price` None where none is set."""

    spec: EmbeddingSpec
    passage_count: int
    missing_count: int
    tokens: int
    too_long_count: int
    seconds: float
    price: float | None
    bytes: int
    sample_count: int


def estimate_reembedding(choice: ModelChoice) -> Estimate:
    """Embed a sample by the model and tell what all would take. Raises the errors of the model."""
    embedder = embedder_for(choice)
    spec = embedder.spec
    counts = Chunk.objects.aggregate(
        all=Count("pk"),
        tokens=Sum("token_count", default=0),
        too_long=Count("pk", filter=Q(token_count__gt=spec.max_tokens)),
    )
    embedded = ChunkEmbedding.objects.filter(
        space__provider=spec.provider, space__model=spec.model, space__dimensions=spec.dimensions
    ).count()
    sample = _sample()
    embedder.load()
    embed_texts(dict(list(sample.items())[:1]), embedder)
    started = perf_counter()
    embed_texts(sample, embedder)
    took = perf_counter() - started
    missing = max(0, counts["all"] - embedded)
    share = missing / counts["all"] if counts["all"] else 0.0
    tokens = round(counts["tokens"] * share)
    per_million = knowledge_settings().embedding_price_per_million_tokens
    width = spec.dimensions * (BYTES_PER_NUMBER + INDEX_BYTES_PER_NUMBER)
    return Estimate(
        spec=spec,
        passage_count=counts["all"],
        missing_count=missing,
        tokens=tokens,
        too_long_count=counts["too_long"],
        seconds=took / len(sample) * missing if sample else 0.0,
        price=tokens / 1_000_000 * per_million if per_million else None,
        bytes=missing * (width + INDEX_BYTES_PER_VECTOR + ROW_BYTES),
        sample_count=len(sample),
    )


def _sample() -> dict[str, str]:
    """Return texts of passages spread over all, by id."""
    bounds = Chunk.objects.aggregate(first=Min("pk"), last=Max("pk"))
    if bounds["first"] is None:
        return {}
    step = max(1, (bounds["last"] - bounds["first"]) // SAMPLE_CHUNKS)
    found: dict[str, str] = {}
    for start in range(bounds["first"] - 1, bounds["last"], step):
        # No space has the id 0: the next passage, whichever it is.
        nearest = store.find_missing(0, after=start, limit=1, max_tokens=DEFAULT_MAX_TOKENS)
        found |= {str(each.chunk_id): each.text for each in nearest}
    return dict(list(found.items())[:SAMPLE_CHUNKS])
