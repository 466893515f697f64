"""Checks that the vector index finds what an exact scan finds."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crmind.exceptions import CRMindError, InvalidInputError
from knowledge.checks import check_text_index, check_vector_index
from knowledge.services.spaces import find_active_space
from retrieval.evaluation.index_recall import measure_recall, sample_scopes, sample_vectors
from retrieval.services import get_profile, save_index_check

DEFAULT_SAMPLE = 50
DEFAULT_FLOOR = 0.95


class Command(BaseCommand):
    """`manage.py check_index`."""

    help = (
        "Compare the ten nearest passages by the vector index with those of an exact scan, for a "
        "sample of the stored vectors, without and with filters. Fails below the floor, and when "
        "an index is missing or not valid."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the size of the sample and the least recall."""
        parser.add_argument("--sample", type=int, default=DEFAULT_SAMPLE, metavar="N")
        parser.add_argument(
            "--floor", type=float, default=DEFAULT_FLOOR, metavar="R", help="Least recall, 0 to 1."
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure, report, and fail where something is wrong."""
        try:
            scopes = self._measure(options)
        except CRMindError as error:
            raise CommandError(error.message) from error
        faults = _faults(scopes, floor=options["floor"])
        _keep(scopes, faults, floor=options["floor"])
        if options["json"]:
            report = {"floor": options["floor"], "recall@10": scopes, "faults": faults}
            self.stdout.write(json.dumps(report))
        else:
            for label, measured in scopes.items():
                self.stdout.write(
                    f"{label}: recall@10 {measured['recall']:.4f} ({measured['chunks']:,} passages)"
                )
        if faults:
            raise CommandError(" ".join(faults))

    def _measure(self, options: dict[str, Any]) -> dict[str, dict[str, float]]:
        if options["sample"] < 1:
            message = f"--sample is {options['sample']}; it has to be 1 or more."
            raise InvalidInputError(message, field="sample")
        if not 0 <= options["floor"] <= 1:
            message = f"--floor is {options['floor']:g}; it has to be from 0 to 1."
            raise InvalidInputError(message, field="floor")
        space = find_active_space()
        if space is None:
            return {}
        vectors = sample_vectors(space_id=space.pk, count=options["sample"])
        depth = get_profile().vector_depth
        measured: dict[str, dict[str, float]] = {}
        for scope in sample_scopes():
            self.stderr.write(f"{scope.label}: {scope.chunk_count:,} passages")
            recall = measure_recall(vectors, scope.filters, space_id=space.pk, depth=depth)
            measured[scope.label] = {"chunks": scope.chunk_count, "recall": round(recall, 4)}
        return measured


def _keep(scopes: dict[str, dict[str, float]], faults: list[str], *, floor: float) -> None:
    """Keep what was measured for the first page of the admin."""
    space = find_active_space()
    if space is not None:
        recalls = {label: measured["recall"] for label, measured in scopes.items()}
        save_index_check(embedding_model=str(space), floor=floor, recalls=recalls, faults=faults)


def _faults(scopes: dict[str, dict[str, float]], *, floor: float) -> list[str]:
    messages = [*check_vector_index(["default"]), *check_text_index(["default"])]
    faults = [f"{message.msg} {message.hint}" for message in messages]
    faults += [
        f"Recall with filter {label!r} is {measured['recall']:.4f}, below {floor:g}: raise "
        "HNSW_EF_SEARCH, or build the index anew."
        for label, measured in scopes.items()
        if measured["recall"] < floor
    ]
    if not scopes:
        faults.append("Nothing is embedded yet. Ingest documents first.")
    return faults
