"""Measures how fast a corpus of a given size is searched."""

import json
import signal
import sys
from argparse import ArgumentParser
from typing import Any, cast

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crmind.exceptions import CRMindError, InvalidInputError
from crmind.memory import settle_memory
from knowledge.embedding.hashing import HashingEmbedder
from retrieval.evaluation.benchmark import QUESTIONS, Benchmark
from retrieval.evaluation.plan import show_progress
from retrieval.evaluation.scratch import scratch_database
from retrieval.evaluation.synthetic import fill_corpus, make_chance
from retrieval.services import get_profile

SEED = 7
FILLING_STEPS = 3


class Command(BaseCommand):
    """`manage.py benchmark --chunks N`."""

    help = (
        "Fill a database of its own with made-up passages and vectors, and measure each arm, both "
        "together, and ordinary full-text search in the same run. Embedding is left out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the size of the corpus and how much to ask."""
        parser.add_argument("--chunks", type=int, required=True, metavar="N")
        parser.add_argument("--queries", type=int, default=40, metavar="N", help="Of each sort.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Fill, measure, report."""
        # Ended from outside, the scratch database goes too.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        try:
            report = _measure(chunk_count=options["chunks"], query_count=options["queries"])
        except CRMindError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps(report))
            return
        self.stdout.write(
            f"loaded in {report['load_seconds']} s, indexes built in {report['build_seconds']} s"
        )
        for name in ("keyword", "naive_keyword", "hybrid"):
            for sort, times in cast("dict[str, dict[str, float]]", report[name]).items():
                kind = f"{sort} words" if sort in QUESTIONS else f"filtered to {sort}"
                self.stdout.write(f"{name}, {kind}: {_shown(times)}")
        for count, times in cast("dict[str, dict[str, float]]", report["concurrency"]).items():
            self.stdout.write(f"hybrid, {count} at once: {_shown(times)}")
        self.stdout.write(f"vector: {json.dumps(report['vector'])}")
        self.stdout.write(f"exact vector scan: p50 {report['exact_vector_ms']} ms")
        for name, ratio in cast("dict[str, float]", report["ratios"]).items():
            self.stdout.write(f"{name}: {ratio}")


def _measure(*, chunk_count: int, query_count: int) -> dict[str, object]:
    for name, count in (("chunks", chunk_count), ("queries", query_count)):
        if count < 1:
            message = f"--{name} is {count}; it has to be 1 or more."
            raise InvalidInputError(message, field=name)
    embedder = HashingEmbedder()
    now = timezone.now()
    chance = make_chance(dimensions=embedder.spec.dimensions, seed=SEED)
    with scratch_database():
        with show_progress("filling", FILLING_STEPS * chunk_count) as advance:
            corpus = fill_corpus(
                chunk_count=chunk_count,
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
            query_count=query_count,
        )
        # As a web server does once it has started.
        settle_memory()
        with show_progress("asking", benchmark.step_count) as advance:
            figures = benchmark.measure(advance=advance)
    return {
        "chunks": chunk_count,
        "load_seconds": round(corpus.load_seconds, 1),
        "build_seconds": round(corpus.build_seconds, 1),
        **figures,
    }


def _shown(times: dict[str, float]) -> str:
    measures = {name: value for name, value in times.items() if not name.endswith("_ms")}
    others = "".join(f", {name} {value}" for name, value in measures.items())
    return f"p50 {times['p50_ms']} ms, p95 {times['p95_ms']} ms{others.replace('_', ' ')}"
