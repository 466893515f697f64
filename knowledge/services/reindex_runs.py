"""Reindexes a source or chosen documents as one run."""

from collections.abc import Callable, Sequence

from knowledge.models import Document, IngestionRun
from knowledge.services.ingest import Progress, Tools
from knowledge.services.reindexing import reindex_in_batches
from knowledge.services.runs import running
from knowledge.services.terms import refresh_term_statistics


def reindex_source(
    *, run: IngestionRun, tools: Tools, on_progress: Callable[[Progress], None]
) -> IngestionRun:
    """Reindex every document of the source of the run (of every source, if it has none)."""
    documents = Document.objects.order_by("pk")
    if run.source_id is not None:
        documents = documents.filter(source=run.source_id)
    return reindex_documents(
        run=run,
        document_ids=list(documents.values_list("pk", flat=True)),
        tools=tools,
        on_progress=on_progress,
    )


def reindex_documents(
    *,
    run: IngestionRun,
    document_ids: Sequence[int],
    tools: Tools,
    on_progress: Callable[[Progress], None],
) -> IngestionRun:
    """Reindex documents as one run. One that fails never stops the rest."""
    with running(run, expected=len(document_ids)) as recorder:
        outcomes = reindex_in_batches(
            document_ids,
            embedder=tools.embedder,
            tokenizer=tools.tokenizer,
            now=tools.now,
            run=recorder.context,
        )
        for seen, outcome in enumerate(outcomes, start=1):
            recorder.record(outcome)
            progress = Progress(seen=seen, expected=len(document_ids), current=outcome.external_id)
            on_progress(progress)
    refresh_term_statistics()
    run.refresh_from_db()
    return run
