"""Exports that are read row by row, and those that are packed."""

import gzip
import json
import tracemalloc

import pytest

from knowledge.ingestion import row_stream
from knowledge.ingestion.connectors import files, reading, tables
from knowledge.ingestion.rows import RowFormat

FILES = {
    "tickets.csv": (
        'id;subject;body\r\n1;"two\nlines";first\r\n2;short\r\n3;x;y;more\r\n\r\n1;again;last\r\n'
    ),
    "notes.tsv": "\ufeffid\tnote\n7\tBlue lantern\n8\t\n9\tΩμέγα\n",
    "lines.jsonl": (
        '{"id": 1, "text": "a", "by": {"name": "Ada"}}\n\nnot json\n[1]\n{"id": "2", "text": "b"}\n'
    ),
    "empty.csv": "",
    "nothing.jsonl": "\n\n",
    "head.csv": "id,body\n",
}


def read(folder, name):
    (file,) = files.find_files([folder / name])
    found = reading.read_file(file, mapping={})
    return list(found.documents), found.warnings, found.gap or found.doubt


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1253"])
def test_read_file__row_by_row_is_the_same_as_at_once(name, encoding, tmp_path, monkeypatch):
    (tmp_path / name).write_bytes(FILES[name].encode(encoding, "ignore"))
    at_once = read(tmp_path, name)

    monkeypatch.setattr(tables, "STREAMED_BYTES", -1)

    assert read(tmp_path, name) == at_once


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("is_streamed", [False, True])
def test_read_file__packed_is_the_same_as_unpacked(name, is_streamed, tmp_path, monkeypatch):
    content = FILES[name].encode()
    (tmp_path / name).write_bytes(content)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content))
    documents, warnings, doubt = read(tmp_path, name)
    if is_streamed:
        monkeypatch.setattr(tables, "STREAMED_BYTES", -1)

    packed, packed_warnings, packed_doubt = read(tmp_path, f"{name}.gz")

    assert [each.external_id for each in packed] == [
        each.external_id.replace(name, f"{name}.gz") for each in documents
    ]
    assert [getattr(each, "text", "") for each in packed] == [
        getattr(each, "text", "") for each in documents
    ]
    assert (packed_warnings, packed_doubt) == (warnings, doubt.replace(name, f"{name}.gz"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(b"id,body\n" + b"1,lantern\n" * 3_000_000, 1), "decompression bomb"),
        (gzip.compress(b"id,body\n1,lantern\n" * 200)[:-9], "cut off or damaged"),
        (b"id,body\n1,lantern\n", "cut off or damaged"),
    ],
    ids=["bomb", "cut off", "not packed"],
)
def test_read_file__packed_to_do_harm_or_damaged(content, reason, tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(content)
    (file,) = files.find_files([tmp_path])

    found = reading.read_file(file, mapping={"text": "body"})

    (document,) = found.documents
    assert reason in document.reason
    assert found.gap


def test_read_file__a_bad_byte_after_the_sample_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "STREAMED_BYTES", -1)
    monkeypatch.setattr(tables, "SAMPLE_BYTES", 20)
    (tmp_path / "a.csv").write_bytes(b"id,body\n1,lantern one\n2,lantern \xff two\n")

    documents, warnings, _ = read(tmp_path, "a.csv")

    assert [each.text.splitlines()[0] for each in documents] == [
        "lantern one",
        "lantern \ufffd two",
    ]
    (warning,) = warnings
    assert warning.startswith("1 rows hold characters that could not be read")


def test_read_file__larger_than_allowed(tmp_path, monkeypatch, settings):
    settings.CRMIND_KNOWLEDGE = {"MAX_EXPORT_BYTES": 1024 * 1024}
    monkeypatch.setattr(tables, "STREAMED_BYTES", 1024 * 1024)
    (tmp_path / "a.csv").write_text("id,body\n" + "1,lantern\n" * 200_000)
    (file,) = files.find_files([tmp_path / "a.csv"])

    found = reading.read_file(file, mapping={"text": "body"})

    (document,) = found.documents
    assert document.reason == "The file is larger than 1 MB."


def test_read_file__a_line_too_long_to_be_held(tmp_path, monkeypatch):
    """Of a table it is the end, of JSON lines one line that is left out."""
    monkeypatch.setattr(tables, "STREAMED_BYTES", -1)
    monkeypatch.setattr(row_stream, "MAX_CELL_CHARACTERS", 50)
    rows = [{"id": str(number), "text": "lantern"} for number in range(3)]
    rows[1]["text"] *= 30
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "a.csv").write_text("\n".join(["id,text", *(",".join(r.values()) for r in rows)]))

    documents, warnings, doubt = read(tmp_path, "a.jsonl")

    assert [each.external_id for each in documents] == ["a.jsonl#0", "a.jsonl#2"]
    assert warnings == (f"line 2 left out: {row_stream.TOO_LONG}",)
    assert doubt == "1 rows of a.jsonl could not be read."
    (document,), _, gap = read(tmp_path, "a.csv")
    assert document.reason == f"line 3: {row_stream.TOO_LONG}."
    assert gap


def test_read_table__a_json_list_is_held_as_a_whole_and_so_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "JSON_LIST_BYTES", 1024 * 1024)
    path = tmp_path / "a.json"
    path.write_text("[" + "[]," * 400_000 + "[]]")
    (file,) = files.find_files([path])

    (document,) = reading.read_file(file, mapping={"text": "body"}).documents

    assert document.reason == (
        "The file is larger than 1 MB: export it as JSON lines, one object a line."
    )


@pytest.mark.parametrize("kind", [RowFormat.CSV, RowFormat.JSON_LINES])
def test_read_file__holds_a_small_part_of_a_large_file(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "STREAMED_BYTES", 1024 * 1024)
    monkeypatch.setattr(tables, "SAMPLE_BYTES", 64 * 1024)
    monkeypatch.setattr(row_stream, "SAMPLE_CHARACTERS", 64 * 1024)
    path = tmp_path / f"large.{kind}"
    words = "lantern " * 200
    with path.open("w") as file:
        file.write("id,body\n" if kind is RowFormat.CSV else "")
        for number in range(3_000):
            row = {"id": f"T{number}", "body": words}
            file.write(f"T{number},{words}\n" if kind is RowFormat.CSV else json.dumps(row) + "\n")
    size = path.stat().st_size
    assert size > tables.STREAMED_BYTES
    (found,) = files.find_files([path])

    tracemalloc.start()
    try:
        documents = reading.read_file(found, mapping={"external_id": "id", "text": "body"})
        count = sum(1 for _ in documents.documents)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 3_000
    # A sample, and the ids; neither the text nor the rows.
    assert peak < size / 4
