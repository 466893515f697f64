"""Makes the passages of stored documents anew."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crmind.exceptions import CRMindError
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.exceptions import UnknownDocumentError
from knowledge.management.progress import progress_bar
from knowledge.management.reports import attention, model_note
from knowledge.models import Document, IngestionRun, RunTrigger
from knowledge.services import active_space, get_source
from knowledge.services.ingest import Tools
from knowledge.services.reindex_runs import reindex_documents, reindex_source
from knowledge.services.runs import create_run

EXIT_WITH_FAILURES = 3


class Command(BaseCommand):
    """`manage.py reindex --source NAME | --document ID... | --all`."""

    help = (
        "Make the passages of documents anew from the text that was kept of them, with the settings"
        " in force. Passages that stay the same keep their vectors."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which documents; exactly one choice."""
        chosen = parser.add_mutually_exclusive_group(required=True)
        chosen.add_argument("--source", metavar="NAME", help="Every document of this source.")
        chosen.add_argument("--document", nargs="+", type=int, metavar="ID", help="These.")
        chosen.add_argument("--all", action="store_true", help="Every document.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        parser.add_argument("--allow-failures", action="store_true", help="Exit with 0 anyway.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Reindex and report."""
        try:
            run = _reindex(options)
        except CRMindError as error:
            raise CommandError(error.message) from error
        failed = list(run.log.filter(level="error").values_list("external_id", "message"))
        if options["json"]:
            self.stdout.write(json.dumps(_record(run, failed), ensure_ascii=False))
        else:
            for line in model_note():
                self.stdout.write(line)
            for external_id, message in failed:
                self.stdout.write(f"  {external_id}: {message}")
            self.stdout.write(
                f"{run.seen - run.failed} reindexed, {attention(run.failed)}"
                f" ({run.updated} changed, {run.unchanged} unchanged)"
            )
        if run.failed and not options["allow_failures"]:
            sys.exit(EXIT_WITH_FAILURES)


def _reindex(options: dict[str, Any]) -> IngestionRun:
    source = get_source(options["source"]) if options["source"] else None
    ids = options["document"] or []
    _check_documents(ids)
    tools = Tools(embedder=get_embedder(), tokenizer=get_tokenizer(), now=timezone.now())
    active_space(tools.embedder.spec)
    run = create_run(source=source, trigger=RunTrigger.COMMAND)
    with progress_bar() as on_progress:
        if ids:
            return reindex_documents(
                run=run, document_ids=ids, tools=tools, on_progress=on_progress
            )
        return reindex_source(run=run, tools=tools, on_progress=on_progress)


def _check_documents(ids: list[int]) -> None:
    known = set(Document.objects.filter(pk__in=ids).values_list("pk", flat=True))
    unknown = [str(document_id) for document_id in ids if document_id not in known]
    if unknown:
        message = f"document: there is no document {', '.join(unknown)}."
        raise UnknownDocumentError(message, field="document")


def _record(run: IngestionRun, failed: list[tuple[str, str]]) -> dict[str, Any]:
    return {
        "run": run.pk,
        "seen": run.seen,
        "updated": run.updated,
        "unchanged": run.unchanged,
        "failed": run.failed,
        "documents": [
            {"external_id": external_id, "reason": message} for external_id, message in failed
        ],
    }
