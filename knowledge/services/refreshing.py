"""Reads a source again where it lies."""

from collections.abc import Callable

from django.utils import timezone

from crmind.exceptions import CRMindError
from knowledge.models import IngestionRun, Source
from knowledge.services.ingest import Progress, Tools, ingest_paths, plan_refresh
from knowledge.services.runs import fail_run


def refresh_source(
    *, run: IngestionRun, tools: Tools, on_progress: Callable[[Progress], None]
) -> None:
    """Read the source of a run again; what cannot be read at all fails the run, with the reason.

    Raises SourceBusyError while another run reads it.
    """
    source = Source.objects.select_related("source_type").get(runs=run)
    try:
        plan = plan_refresh(source)
    except CRMindError as error:
        fail_run(run=run, reason=error.message, now=timezone.now())
        return
    ingest_paths(source=source, plan=plan, run=run, tools=tools, on_progress=on_progress)
