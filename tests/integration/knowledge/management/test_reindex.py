"""`manage.py reindex`."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from knowledge.models import Chunk, Document, EmbeddingSpace, IngestionRun


def reindex(**options):
    output = io.StringIO()
    code = 0
    try:
        call_command("reindex", stdout=output, **options)
    except SystemExit as exit_:
        code = exit_.code
    return code, output.getvalue()


@pytest.fixture
def stocked(shelf):
    for number in range(3):
        shelf.store(f"{number}.md", f"Lantern policy {number}")
    Chunk.objects.update(text="scribbled over")
    return shelf


def test_reindex__source(stocked):
    code, output = reindex(source="shelf")

    assert (code, output) == (0, "3 reindexed, 0 need attention (0 changed, 3 unchanged)\n")
    assert not Chunk.objects.filter(text="scribbled over").exists()
    assert IngestionRun.objects.get().source == stocked.source


def test_reindex__documents(stocked):
    chosen = Document.objects.get(external_id="1.md")

    _, output = reindex(document=[chosen.pk], json=True)

    record = json.loads(output)
    assert (record["seen"], record["unchanged"], record["documents"]) == (1, 1, [])
    assert Chunk.objects.filter(text="scribbled over").count() == 2


def test_reindex__all_lists_those_that_need_attention(stocked):
    stocked.store("empty.md", "")

    code, output = reindex(all=True)

    assert code == 3
    assert output.splitlines() == [
        "  empty.md: The document has no text.",
        "3 reindexed, 1 needs attention (0 changed, 3 unchanged)",
    ]
    assert reindex(all=True, allow_failures=True)[0] == 0


def test_reindex__unknown(stocked):
    with pytest.raises(CommandError, match="There is no source 'nope'"):
        reindex(source="nope")
    with pytest.raises(CommandError, match="document: there is no document 999999"):
        reindex(document=[999_999])


def test_reindex__another_model(stocked, settings):
    settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "hashing", "EMBEDDING_DIMENSIONS": 64}

    _, output = reindex(all=True, allow_failures=True)

    assert "which goes on being used." in output
    assert EmbeddingSpace.objects.get().dimensions == 384
