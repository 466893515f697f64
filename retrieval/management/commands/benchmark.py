"""Measures how fast a corpus of a given size is searched."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.utils import timezone

from crmind.memory import settle_memory
from knowledge.embedding.hashing import HashingEmbedder
from retrieval.evaluation.benchmark import QUESTIONS, Benchmark
from retrieval.evaluation.plan import show_progress
from retrieval.evaluation.scratch import scratch_database
from retrieval.evaluation.synthetic import fill_corpus, make_chance
from retrieval.management.measuring import MeasuringCommand
from retrieval.services import get_profile

SEED = 7
FILLING_STEPS = 3


class Command(MeasuringCommand):
    """`manage.py benchmark --chunks N`."""

    least = {"chunks": 1, "queries": 1}

    help = (
        "Fill a database of its own with made-up passages and vectors, and measure each arm, both "
        "together, and ordinary full-text search in the same run. Embedding is left out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the size of the corpus and how much to ask."""
        super().add_arguments(parser)
        parser.add_argument("--chunks", type=int, required=True, metavar="N")
        parser.add_argument("--queries", type=int, default=40, metavar="N", help="Of each sort.")

    def measure(self, *, chunks: int, queries: int) -> dict[str, Any]:
        """Fill and ask."""
        embedder = HashingEmbedder()
        now = timezone.now()
        chance = make_chance(dimensions=embedder.spec.dimensions, seed=SEED)
        with scratch_database():
            with show_progress("filling", FILLING_STEPS * chunks) as advance:
                corpus = fill_corpus(
                    chunk_count=chunks,
                    spec=embedder.spec,
                    now=now,
                    chance=chance,
                    advance=advance,
                )
            benchmark = Benchmark(
                corpus=corpus,
                profile=get_profile(),
                embedder=embedder,
                now=now,
                query_count=queries,
            )
            # As a web server does once it has started.
            settle_memory()
            with show_progress("asking", benchmark.step_count) as advance:
                figures = benchmark.measure(advance=advance)
        return {
            "chunks": chunks,
            "load_seconds": round(corpus.load_seconds, 1),
            "build_seconds": round(corpus.build_seconds, 1),
            **figures,
        }

    def describe(self, report: dict[str, Any]) -> Iterator[str]:
        """Return what each way to search took."""
        yield f"loaded in {report['load_seconds']} s, indexes built in {report['build_seconds']} s"
        for name in ("keyword", "naive_keyword", "hybrid"):
            for sort, times in report[name].items():
                kind = f"{sort} words" if sort in QUESTIONS else f"filtered to {sort}"
                yield f"{name}, {kind}: {_shown(times)}"
        for count, times in report["concurrency"].items():
            yield f"hybrid, {count} at once: {_shown(times)}"
        yield f"vector: {json.dumps(report['vector'])}"
        yield f"exact vector scan: p50 {report['exact_vector_ms']} ms"
        for name, ratio in report["ratios"].items():
            yield f"{name}: {ratio}"


def _shown(times: dict[str, float]) -> str:
    measures = {name: value for name, value in times.items() if not name.endswith("_ms")}
    others = "".join(f", {name} {value}" for name, value in measures.items())
    return f"p50 {times['p50_ms']} ms, p95 {times['p95_ms']} ms{others.replace('_', ' ')}"
