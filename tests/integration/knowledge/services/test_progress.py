"""How far a run is, while it is under way."""

from django.utils import timezone

from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.models import IngestionRun, RunTrigger
from knowledge.services import recording
from knowledge.services.ingest import Tools, ingest_paths, plan_ingestion
from knowledge.services.runs import create_run
from tests.factories.knowledge import SourceFactory


def test_ingest_paths__of_how_many(tmp_path, seeded, monkeypatch):
    """The rows of an export count, not its file; so do rows that repeat."""
    monkeypatch.setattr(recording, "FLUSH_SECONDS", 0)
    (tmp_path / "a.md").write_text("Harbour rota")
    (tmp_path / "b.csv").write_text("id,body\n1,one\n2,two\n2,again\n3,three\n")
    source = SourceFactory()
    run = create_run(source=source, trigger=RunTrigger.COMMAND)
    tools = Tools(embedder=HashingEmbedder(), tokenizer=RegexTokenizer(), now=timezone.now())
    told = []

    def note(progress):
        row = IngestionRun.objects.get(pk=run.pk)
        told.append((progress.seen, progress.expected, row.seen, row.expected))

    plan = plan_ingestion(paths=[tmp_path], mapping={"external_id": "id", "text": "body"})
    ingest_paths(source=source, plan=plan, run=run, tools=tools, on_progress=note)

    assert told == [(n, 4, n, 4) for n in range(1, 5)]
