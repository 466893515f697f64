"""Runs that read files, described so that any process can take them up again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowledge.fetching.addresses import is_web_address
from knowledge.models import IngestionRun, Source
from knowledge.services.ingest import (
    IngestPlan,
    Progress,
    RunSummary,
    Tools,
    ingest_paths,
    plan_ingestion,
)


def describe_import(plan: IngestPlan, paths: Sequence[Path | str]) -> dict[str, Any]:
    """Return the arguments of a run that carries out a plan for these paths, as JSON has them."""
    return {
        "paths": [*plan.addresses, *_absolute(paths)],
        "mapping": dict(plan.mapping),
        "source_type": plan.source_type,
        "entities": list(plan.entities),
        "access_tags": list(plan.access_tags),
        "covers_source": plan.covers_source,
        "confirms_removal": plan.confirms_removal,
    }


def _absolute(paths: Sequence[Path | str]) -> list[str]:
    return [str(Path(path).resolve()) for path in paths if not is_web_address(str(path))]


def import_files(
    *, run: IngestionRun, tools: Tools, on_progress: Callable[[Progress], None]
) -> RunSummary:
    """Read the files a run names; with `only` among its arguments, just these documents.

    Raises InvalidInputError if there are no such files any more.
    """
    source = Source.objects.select_related("source_type").get(runs=run)
    plan = _plan(run.arguments)
    return ingest_paths(source=source, plan=plan, run=run, tools=tools, on_progress=on_progress)


def _plan(arguments: Mapping[str, Any]) -> IngestPlan:
    plan = plan_ingestion(
        paths=arguments["paths"],
        mapping=arguments["mapping"],
        source_type=arguments["source_type"],
        entities=arguments["entities"],
        access_tags=arguments["access_tags"],
    )
    only = frozenset(arguments.get("only", ()))
    return replace(
        plan,
        only=only,
        # A part of a source tells nothing of what is gone from it.
        covers_source=arguments["covers_source"] and not only,
        confirms_removal=arguments["confirms_removal"],
    )
