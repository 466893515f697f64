"""`manage.py ingest` as a person uses it."""

import io
import json
import os
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.models import (
    Chunk,
    ChunkEmbedding,
    Document,
    EmbeddingSpace,
    Entity,
    IngestionRun,
    Source,
)
from tests.factories.knowledge import EntityFactory

SHARED_FILES = Path(__file__).resolve().parents[5] / "shared" / "data" / "files"

SCAN = (
    b"%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R"
    b"/Resources<</XObject<</I 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length 20>>stream\n99 0 0 99 0 0 cm/I Do\nendstream endobj\n"
    b"5 0 obj<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray"
    b"/BitsPerComponent 8/Length 1>>stream\n\x7f\nendstream endobj\n"
    b"trailer<</Root 1 0 R%s>>\n"
)
# No password fits these keys.
LOCK = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>/ID[<00><00>]" % (
    b"41" * 32,
    b"42" * 32,
)
SPACES = """<?xml version="1.0"?><w:document
 xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>
 <w:t xml:space="preserve">   </w:t></w:r></w:p></w:body></w:document>"""
CONTENT_TYPES = """<?xml version="1.0"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="xml" ContentType="application/xml"/><Default Extension="rels"
 ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml" ContentType=
 "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
RELATIONSHIPS = """<?xml version="1.0"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="word/document.xml" Type=
 "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>
</Relationships>"""


def ingest(*arguments, **options):
    """Return exit code and output of the command."""
    output = io.StringIO()
    code = 0
    try:
        call_command("ingest", *map(str, arguments), stdout=output, **options)
    except SystemExit as exit_:
        code = exit_.code
    return code, output.getvalue()


@pytest.fixture
def folder(tmp_path, seeded):
    """Give the folder of case B13: one good file, four that are not."""
    (tmp_path / "good.txt").write_text("Harbour rota")
    (tmp_path / "zero.txt").write_bytes(b"")
    (tmp_path / "scan.pdf").write_bytes(SCAN % b"")
    (tmp_path / "locked.pdf").write_bytes(SCAN % LOCK)
    with zipfile.ZipFile(tmp_path / "spaces.docx", "w") as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES)
        archive.writestr("_rels/.rels", RELATIONSHIPS)
        archive.writestr("word/document.xml", SPACES)
    return tmp_path


def test_ingest__nothing_is_ready_without_text(folder):
    """Case B13."""
    code, output = ingest(folder, source="rota")

    lines = output.splitlines()
    assert code == 3
    assert lines[-1].startswith("1 indexed, 4 need attention")
    reasons = dict(Document.objects.values_list("external_id", "status_reason"))
    assert {name for name, reason in reasons.items() if not reason} == {"good.txt"}
    assert "password" in reasons["locked.pdf"]
    assert "no text layer" in reasons["scan.pdf"]
    assert "empty" in reasons["zero.txt"]
    assert "no text" in reasons["spaces.docx"]
    assert set(
        Document.objects.exclude(external_id="good.txt").values_list("status", flat=True)
    ) == {"needs_attention"}
    for name, reason in reasons.items():
        assert not reason or f"  {folder / name}: {reason}" in lines
    run = IngestionRun.objects.get()
    assert (run.seen, run.added, run.failed, run.status) == (5, 1, 4, "done")
    assert ingest(folder, source="rota", allow_failures=True)[0] == 0


def test_ingest__json(folder):
    code, output = ingest(folder, source="rota", json=True, allow_failures=True)

    record = json.loads(output)
    assert code == 0
    assert {key: record[key] for key in ("source", "seen", "added", "failed")} == {
        "source": "rota",
        "seen": 5,
        "added": 1,
        "failed": 4,
    }
    assert record["run"] == IngestionRun.objects.get().pk
    good = record["documents"][0]
    assert good == {
        "path": str(folder / "good.txt"),
        "external_id": "good.txt",
        "outcome": "added",
        "status": "ready",
        "reason": "",
        "chunks": 1,
        "warnings": [],
    }


def test_ingest__dry_run_stores_nothing(folder):
    code, output = ingest(folder, source="rota", dry_run=True)

    assert code == 3
    assert output.splitlines()[-1].startswith("1 would be indexed, 4 need attention")
    for model in (Source, Document, IngestionRun):
        assert not model.objects.exists()


def test_ingest__again_says_unchanged(tmp_path, seeded, settings, monkeypatch):
    """Case B15, through the command."""
    settings.CRMIND_KNOWLEDGE = {**settings.CRMIND_KNOWLEDGE, "CHUNK_TARGET_TOKENS": 32}
    embedded = []
    embed_passages = HashingEmbedder.embed_passages
    monkeypatch.setattr(
        HashingEmbedder,
        "embed_passages",
        lambda embedder, texts: embedded.extend(texts) or embed_passages(embedder, texts),
    )
    block = "# {}\n\nThe {} is closed on {} and on every day on which the harbour rests.\n\n"
    faq = tmp_path / "faq.md"
    counts = []
    for day in ("Tuesday", "Friday", "Friday"):
        days = {"Shop": "Sunday", "Warehouse": day, "Office": "Monday"}
        faq.write_text("".join(block.format(name, name, when) for name, when in days.items()))
        code, output = ingest(faq, source="faq")
        counts.append((code, Chunk.objects.count(), len(embedded)))

    assert counts == [(0, 3, 3), (0, 3, 4), (0, 3, 4)]
    assert output.startswith("1 indexed, 0 need attention (0 added, 0 updated, 1 unchanged")
    assert not Chunk.objects.filter(text__contains="Tuesday").exists()


def test_ingest__options_count_for_documents_that_say_nothing_themselves(tmp_path, seeded):
    entity = EntityFactory(name="Northwind")
    (tmp_path / "plain.md").write_text("Plain text")
    (tmp_path / "own.md").write_text("---\ntype: email\ntags: [board]\n---\nOwn text")
    options = {"source": "mixed", "type": "contract", "entity": "northwind", "tags": "sales,hr"}

    ingest(tmp_path, **options)

    source = Source.objects.get()
    assert (source.source_type.slug, source.access_tags) == ("contract", ["hr", "sales"])
    plain, own = Chunk.objects.order_by("-document__external_id")
    assert (plain.source_type.slug, plain.access_tags) == ("contract", ["hr", "sales"])
    assert (own.source_type.slug, own.access_tags) == ("email", ["board"])
    assert plain.entity_ids == own.entity_ids == [entity.pk]
    assert "2 unchanged" in ingest(tmp_path, **options)[1]


def test_ingest__options_do_not_change_an_existing_source(tmp_path, seeded):
    (tmp_path / "a.md").write_text("text")
    ingest(tmp_path, source="mixed")

    ingest(tmp_path, source="mixed", type="contract", tags="sales")

    source, chunk = Source.objects.get(), Chunk.objects.get()
    assert (source.source_type.slug, source.access_tags) == ("unknown", ["everyone"])
    assert (chunk.source_type.slug, chunk.access_tags) == ("contract", ["sales"])


def test_ingest__rows_of_an_export(tmp_path, seeded):
    export = tmp_path / "tickets.csv"
    export.write_text("number,subject,body\nT-1,Door,Open\nT-2,Gate,Shut\n")

    code, output = ingest(
        export, source="tickets", map=["external_id=number", "title=subject", "text=body"]
    )

    assert code == 0
    assert output.startswith("2 indexed, 0 need attention")
    assert set(Document.objects.values_list("external_id", "title")) == {
        ("T-1", "Door"),
        ("T-2", "Gate"),
    }


def test_ingest__ids_that_repeat_across_files_are_told(tmp_path, seeded):
    (tmp_path / "a.csv").write_text("id,body\n1,first\n")
    (tmp_path / "b.csv").write_text("id,body\n1,second\n")

    _, output = ingest(tmp_path, source="tickets", map=["external_id=id", "text=body"])

    assert "note: b.csv: '1' was left out" in output
    assert Chunk.objects.get().text == "first"


def test_ingest__entity_must_exist_unless_asked_for(tmp_path, seeded):
    (tmp_path / "a.md").write_text("text")

    with pytest.raises(CommandError, match=r"no entity 'Contoso'.*--create-entities"):
        ingest(tmp_path, source="new", entity="Contoso")
    assert not Source.objects.exists()

    ingest(tmp_path, source="new", entity="Contoso", create_entities=True)
    assert Chunk.objects.get().entity_ids == [Entity.objects.get(name="Contoso").pk]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "leaflet"}, "There is no source type 'leaflet'"),
        ({"map": ["text=nope"]}, "map: text: no column 'nope'; the columns are id, body"),
        ({"map": ["colour=body"]}, "map: 'colour' is no field"),
        ({"tags": "No Spaces"}, "tags: 'No Spaces' is not a tag"),
        ({"source": " "}, "name: "),
    ],
)
def test_ingest__wrong_options_store_nothing(tmp_path, seeded, options, message):
    (tmp_path / "a.csv").write_text("id,body\n1,x\n")

    with pytest.raises(CommandError, match=message):
        ingest(tmp_path / "a.csv", **{"source": "new", **options})

    for model in (Source, Document, IngestionRun):
        assert not model.objects.exists()


def test_ingest__missing_path(tmp_path, seeded):
    with pytest.raises(CommandError, match="there is no file or folder"):
        ingest(tmp_path / "nope", source="new")

    assert not Source.objects.exists()


def test_ingest__another_model_in_the_settings_is_told_and_not_used(tmp_path, seeded, settings):
    """Case B23."""
    (tmp_path / "a.md").write_text("text")
    ingest(tmp_path, source="first")
    settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "hashing", "EMBEDDING_DIMENSIONS": 64}

    _, output = ingest(tmp_path, source="second")

    assert "  note: The settings name the embedding model hashing hashed-words-1 (64" in output
    assert EmbeddingSpace.objects.get().dimensions == 384
    assert ChunkEmbedding.objects.count() == 2


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED_FILES.is_dir(), reason="the public test files are not here")
def test_ingest__awkward_files_all_end(seeded):
    code, output = ingest(SHARED_FILES, source="awkward", json=True, allow_failures=True)

    record = json.loads(output)
    assert code == 0
    assert {document["status"] for document in record["documents"]} <= {"ready", "needs_attention"}
    paths = {document["path"] for document in record["documents"]}
    assert len(paths) == sum(path.is_file() for path in SHARED_FILES.rglob("*"))
    for document in record["documents"]:
        assert (document["status"] == "ready") == (not document["reason"])
        assert (document["status"] == "ready") == (document["chunks"] > 0)


def test_ingest__odd_file_names(tmp_path, seeded):
    """Row T35: each is taken in under a name that can be stored and shown."""
    written = {
        b"two\nlines.md": r"two\nlines.md",
        b"quotes '\"`$(x);&.md": "quotes '\"`$(x);&.md",
        b"caf\xe9.md": r"caf\xe9.md",
        "invoice\u202efdp.md".encode(): r"invoice\u202efdp.md",
        b"\x1b[31mred.md": r"\x1b[31mred.md",
        b"-rf.md": "-rf.md",
        b"n" * 252 + b".md": "n" * 252 + ".md",
        b"bad\xff.pdf": r"bad\xff.pdf",
    }
    for name in written:
        path = tmp_path / os.fsdecode(name)
        path.write_bytes(b"" if name.endswith(b"pdf") else b"Harbour rota")
    deep = tmp_path.joinpath(*["d" * 200] * 6)
    deep.mkdir(parents=True)
    for name in ("a.md", "b.md"):
        (deep / name).write_text(f"Deep {name}")

    code, output = ingest(tmp_path, source="rota")

    assert code == 3
    assert output.replace("\n", "").isprintable()
    assert r"bad\xff.pdf: " in output
    documents = Document.objects.values_list("external_id", flat=True)
    assert set(written.values()) < set(documents)
    assert sorted(len(each) for each in documents)[-2:] == [1000, 1000]
    assert "9 unchanged" in ingest(tmp_path, source="rota", allow_failures=True)[1]
