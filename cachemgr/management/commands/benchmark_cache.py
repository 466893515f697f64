"""Measures how fast a given number of stored answers is looked up."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.utils import timezone

from cachemgr.evaluation.benchmark import CacheBenchmark
from cachemgr.evaluation.synthetic import fill_answers
from knowledge.embedding.hashing import HashingEmbedder
from retrieval.evaluation.plan import show_progress
from retrieval.evaluation.scratch import scratch_database
from retrieval.evaluation.synthetic import make_chance
from retrieval.management.measuring import MeasuringCommand

SEED = 7


class Command(MeasuringCommand):
    """`manage.py benchmark_cache --entries N`."""

    least = {"entries": 2_000, "queries": 1}

    help = (
        "Fill a database of its own with made-up answers over scopes of very different size, and "
        "measure in each the exact and the semantic look-up, and whether the nearest question is "
        "found. Embedding is left out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the number of answers and how much to ask."""
        super().add_arguments(parser)
        parser.add_argument("--entries", type=int, required=True, metavar="N")
        parser.add_argument("--queries", type=int, default=40, metavar="N", help="In each scope.")

    def measure(self, *, entries: int, queries: int) -> dict[str, Any]:
        """Fill and look up."""
        spec = HashingEmbedder().spec
        now = timezone.now()
        chance = make_chance(dimensions=spec.dimensions, seed=SEED)
        with scratch_database():
            with show_progress("filling", 2 * entries) as advance:
                answers = fill_answers(
                    count=entries, spec=spec, now=now, chance=chance, advance=advance
                )
            benchmark = CacheBenchmark(answers=answers, chance=chance, now=now, query_count=queries)
            with show_progress("asking", benchmark.step_count) as advance:
                scopes = benchmark.measure(advance=advance)
        return {
            "entries": entries,
            "load_seconds": round(answers.load_seconds, 1),
            "build_seconds": round(answers.build_seconds, 1),
            "scopes": scopes,
        }

    def describe(self, report: dict[str, Any]) -> Iterator[str]:
        """Return what the look-ups took in each scope."""
        yield f"loaded in {report['load_seconds']} s, index built in {report['build_seconds']} s"
        for name, figures in report["scopes"].items():
            yield (
                f"{name} scope, {figures['entries']:,} answers: exact {_shown(figures['exact'])}; "
                f"semantic {_shown(figures['semantic'])}, "
                f"recall@1 {figures['semantic']['recall@1']}, "
                f"{'vector index' if figures['uses_vector_index'] else 'whole scope compared'}"
            )


def _shown(times: dict[str, float]) -> str:
    return f"p50 {times['p50_ms']} ms, p95 {times['p95_ms']} ms, {times['statements']} statements"
