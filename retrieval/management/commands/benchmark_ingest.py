"""Measures how fast documents are taken in, beside the bare embedding model."""

import re
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.utils import timezone

from knowledge.demo.catalogue import DEMO_ROOT
from knowledge.embedding.registry import settings_embedder, settings_tokenizer
from knowledge.services import ensure_source
from retrieval.evaluation.ingest_speed import IngestSpeed, make_documents, measure_ingest
from retrieval.evaluation.plan import show_progress
from retrieval.evaluation.scratch import scratch_database
from retrieval.management.measuring import MeasuringCommand

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
MIN_SENTENCE_CHARACTERS = 20


class Command(MeasuringCommand):
    """`manage.py benchmark_ingest [--chunks N]`."""

    least = {"chunks": 1}

    help = (
        "Take documents into a database of its own, and embed the same passages with the bare model"
        " in turn. The ratio tells what reading, dividing and storing cost beside embedding."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take how much to measure."""
        super().add_arguments(parser)
        parser.add_argument("--chunks", type=int, default=600, metavar="N", help="Passages.")

    def measure(self, *, chunks: int) -> dict[str, Any]:
        """Take in and embed in turn."""
        return _report(_measure(chunks))

    def describe(self, report: dict[str, Any]) -> Iterator[str]:
        """Return how fast both were."""
        yield (
            f"{report['chunks']} passages of {report['documents']} documents: bare model"
            f" {report['bare_chunks_per_second']}/s, ingestion"
            f" {report['ingest_chunks_per_second']}/s, ratio {report['ratio']}"
        )


def _measure(chunk_count: int) -> IngestSpeed:
    embedder, tokenizer = settings_embedder(), settings_tokenizer()
    made = make_documents(
        _sentences(), chunk_count=chunk_count, tokenizer=tokenizer, embedder=embedder
    )
    with scratch_database(), show_progress("taking in", len(made)) as advance:
        return measure_ingest(
            made,
            source=ensure_source(name="benchmark"),
            embedder=embedder,
            tokenizer=tokenizer,
            now=timezone.now(),
            advance=advance,
        )


def _sentences() -> list[str]:
    """Return the sentences of the demo knowledge base."""
    files = sorted((DEMO_ROOT / "sources").rglob("*.md"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    sentences = {" ".join(each.split()) for each in _SENTENCE_END.split(text)}
    return sorted(each for each in sentences if len(each) >= MIN_SENTENCE_CHARACTERS)


def _report(speed: IngestSpeed) -> dict[str, Any]:
    return {
        "documents": speed.documents,
        "chunks": speed.chunks,
        "bare_seconds": round(speed.bare_seconds, 2),
        "ingest_seconds": round(speed.ingest_seconds, 2),
        "bare_chunks_per_second": round(speed.chunks / speed.bare_seconds, 1),
        "ingest_chunks_per_second": round(speed.chunks / speed.ingest_seconds, 1),
        "ratio": round(speed.ratio, 3),
    }
