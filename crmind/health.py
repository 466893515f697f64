"""Whether the service lives and can answer."""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from crmind.exceptions import UnavailableError


@require_safe
def live(_request: HttpRequest) -> JsonResponse:
    """Answer as long as the process serves requests; touches nothing else."""
    return JsonResponse({"status": "ok"})


@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """Answer 200 when searches can be served, else 503 naming what is missing."""
    faults = _faults()
    if faults:
        return JsonResponse({"status": "unavailable", "faults": faults}, status=503)
    return JsonResponse({"status": "ok"})


def _faults() -> list[str]:
    try:
        executor = MigrationExecutor(connection)
        is_behind = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except (DatabaseError, UnavailableError):
        return ["database"]
    return ["migrations"] if is_behind else []
