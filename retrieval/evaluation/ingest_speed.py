"""Measures how fast documents are taken in, beside what the bare model does with their passages."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.ingestion.pipeline import split_document
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Source
from knowledge.services import store_documents
from knowledge.services.intake import chunking_settings

# Slices are measured each way in turn: what else the machine does hits both alike.
SLICES = 6
SENTENCES_PER_DOCUMENT = (4, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSpeed:
    """What was measured; seconds of the bare model and of the whole of ingestion."""

    documents: int
    chunks: int
    bare_seconds: float
    ingest_seconds: float

    @property
    def ratio(self) -> float:
        """Speed of ingestion as a share of the bare model's."""
        return self.bare_seconds / self.ingest_seconds


def make_documents(
    sentences: Sequence[str], *, chunk_count: int, tokenizer: Tokenizer, embedder: Embedder
) -> list[tuple[ParsedDocument, list[str]]]:
    """Shuffle sentences into documents of few to many passages, each with its passages' texts."""
    chance = random.Random(7)  # noqa: S311 # the same documents every time
    settings = chunking_settings(embedder.spec)
    made: list[tuple[ParsedDocument, list[str]]] = []
    total = 0
    while total < chunk_count:
        count = chance.randint(*SENTENCES_PER_DOCUMENT)
        text = "\n\n".join(" ".join(chance.sample(sentences, 4)) for _ in range(max(1, count // 4)))
        name = f"{len(made)}.txt"
        passages = split_document(text=text, title=name, tokenizer=tokenizer, settings=settings)
        document = ParsedDocument(external_id=name, title=name, text=text)
        made.append((document, [passage.text for passage in passages]))
        total += len(passages)
    return made


def measure_ingest(
    made: Sequence[tuple[ParsedDocument, list[str]]],
    *,
    source: Source,
    embedder: Embedder,
    tokenizer: Tokenizer,
    now: datetime,
    advance: Callable[[int], None],
) -> IngestSpeed:
    """Take the documents in, slice by slice, and embed the same passages with nothing else."""
    embedder.embed_passages(["Warm up."])
    bare = ingest = 0.0
    chunks = 0

    def embed_only(slice_: Sequence[tuple[ParsedDocument, list[str]]]) -> float:
        texts = [text for _, passages in slice_ for text in passages]
        started = time.monotonic()
        embedder.embed_passages(texts)
        return time.monotonic() - started

    def take_in(slice_: Sequence[tuple[ParsedDocument, list[str]]]) -> float:
        started = time.monotonic()
        for _ in store_documents(
            source=source,
            parsed=(document for document, _ in slice_),
            embedder=embedder,
            tokenizer=tokenizer,
            now=now,
        ):
            advance(1)
        return time.monotonic() - started

    for number, slice_ in enumerate(_slices(made)):
        chunks += sum(len(passages) for _, passages in slice_)
        if number % 2:
            bare += embed_only(slice_)
            ingest += take_in(slice_)
        else:
            ingest += take_in(slice_)
            bare += embed_only(slice_)
    return IngestSpeed(documents=len(made), chunks=chunks, bare_seconds=bare, ingest_seconds=ingest)


def _slices(
    made: Sequence[tuple[ParsedDocument, list[str]]],
) -> Iterator[Sequence[tuple[ParsedDocument, list[str]]]]:
    size = max(1, -(-len(made) // SLICES))
    for start in range(0, len(made), size):
        yield made[start : start + size]
