"""What one file holds."""

from datetime import UTC, datetime

import pytest

from knowledge.exceptions import MappingError
from knowledge.ingestion.connectors import check_mapping, find_files, read_file
from knowledge.ingestion.connectors.reading import extraction_limits
from knowledge.ingestion.types import ParsedDocument, UnreadableDocument


@pytest.fixture
def read(tmp_path):
    def read_one(name, content, mapping=None):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        (file,) = find_files([path])
        return read_file(file, mapping=mapping or {})

    return read_one


FRONT = """---
title: Support policy
url: https://library.example/support
type: contract
published_at: 2031-03-01
entities: [Northwind, acc-1]
tags: [sales]
trust: 0.4
language: de
valid_from: 2031-04-01
supersedes: support-2030.md
owner: Dana Lee
---
# Scope

Answers within four hours.
"""


def test_read_file__front_matter(read):
    (document,) = read("policy.md", FRONT).documents

    assert document == ParsedDocument(
        external_id="policy.md",
        text="# Scope\n\nAnswers within four hours.\n",
        title="Support policy",
        url="https://library.example/support",
        source_type="contract",
        language="german",
        published_at=datetime(2031, 3, 1, tzinfo=UTC),
        valid_from=datetime(2031, 4, 1, tzinfo=UTC),
        supersedes="support-2030.md",
        trust=0.4,
        entities=("Northwind", "acc-1"),
        access_tags=("sales",),
        mime_type="text/markdown",
        metadata={"owner": "Dana Lee"},
    )


def test_read_file__the_first_heading_is_the_title(read):
    (document,) = read("a.md", "\n# Cold stores #\n\nText").documents

    assert document.title == "Cold stores"


def test_read_file__what_a_page_says_of_itself(read):
    page = """<html lang="fr"><head><title>Qualité</title><meta name="author" content="C. Jaouen">
    <meta property="article:published_time" content="2031-02-03T10:00:00Z"></head>
    <body><p>Le lait est froid, toujours.</p></body></html>"""

    (document,) = read("q.html", page).documents

    assert (document.title, document.language) == ("Qualité", "french")
    assert document.published_at == datetime(2031, 2, 3, 10, tzinfo=UTC)
    assert document.metadata["author"] == "C. Jaouen"


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("tags: [No Spaces!]", "tags: 'no spaces!' is not a tag like board or sales-eu"),
        ("title: [\ntags: [board]", "front matter kept as text"),
        ("tags: [board]\ntitle: 'open", "front matter kept as text"),
    ],
)
def test_read_file__unclear_readers_are_refused_rather_than_all(read, head, reason):
    (document,) = read("a.md", f"---\n{head}\n---\nBoard only").documents

    assert isinstance(document, UnreadableDocument)
    assert document.is_refused
    assert document.reason.startswith(reason)
    assert document.reason.endswith("so it is not known who may read it")


def test_read_file__broken_front_matter_without_tags_is_text(read):
    (document,) = read("a.md", "---\ntitle: [\n---\nAmber falcon").documents

    assert "Amber falcon" in document.text
    assert document.warnings[0].startswith("front matter kept as text")


@pytest.mark.parametrize(
    ("name", "content", "is_refused"),
    [
        ("zero.txt", b"", False),
        ("blank.md", b" \n\t", False),
        ("damaged.docx", b"PK\x03\x04 not really", True),
    ],
)
def test_read_file__no_text(read, name, content, is_refused):
    (document,) = read(name, content).documents

    assert isinstance(document, UnreadableDocument)
    assert (document.external_id, document.is_refused) == (name, is_refused)
    assert document.reason


TICKETS = "id,subject,body,opened\nT-1,Door,The door is open,2031-01-02\nT-2,Gate,Shut,2031-01-03\n"


def test_read_file__rows_by_mapping(read):
    mapping = {"external_id": "id", "title": "subject", "text": "body", "published_at": "opened"}

    documents = read("tickets.csv", TICKETS, mapping).documents

    assert [(each.external_id, each.title, each.text) for each in documents] == [
        ("T-1", "Door", "The door is open"),
        ("T-2", "Gate", "Shut"),
    ]
    assert documents[0].published_at == datetime(2031, 1, 2, tzinfo=UTC)


def test_read_file__telling_columns_need_no_mapping(read):
    documents = read("tickets.csv", TICKETS).documents

    assert [each.external_id for each in documents] == ["tickets.csv#T-1", "tickets.csv#T-2"]


def test_read_file__a_table_without_telling_columns_is_one_document(read):
    rows = "\n".join(f"{number:032x}" for number in range(50))

    (document,) = read("audit.csv", rows).documents

    assert document.external_id == "audit.csv"
    assert f"{49:032x}" in document.text


def test_read_file__rows_with_unclear_readers(read):
    mapping = {"external_id": "id", "text": "body", "tags": "readers"}
    rows = "id,body,readers\n1,open,everyone\n2,closed,No Good!\n"

    first, second = read("a.csv", rows, mapping).documents

    assert first.access_tags == ("everyone",)
    assert second.is_refused
    assert second.external_id == "2"


def test_read_file__lines_left_out_are_told(read):
    reading = read("a.jsonl", '{"id": "1", "text": "one"}\n{"id": 2,\n', {"external_id": "id"})

    assert len(reading.documents) == 1
    assert reading.warnings[0].startswith("line 2 left out: ")


def test_read_file__no_rows(read):
    (document,) = read("a.csv", "id,body\n", {"text": "body"}).documents

    assert (document.external_id, document.reason) == ("a.csv", "The file has no rows.")


def test_check_mapping__fits_none(tmp_path):
    (tmp_path / "a.csv").write_text("id,body\n1,x\n")
    (tmp_path / "b.csv").write_text("id,comment\n1,x\n")
    (tmp_path / "c.md").write_text("text")
    files = find_files([tmp_path])

    check_mapping(files, {})
    check_mapping(files, {"text": "comment"})
    with pytest.raises(MappingError, match=r"^map: text: no column 'note'; the columns are id"):
        check_mapping(files, {"text": "note"})
    with pytest.raises(MappingError, match="none of the files is a CSV"):
        check_mapping(find_files([tmp_path / "c.md"]), {"text": "note"})


def test_extraction_limits__recognition_as_the_settings_say(settings):
    assert extraction_limits().ocr_languages == ""

    settings.CRMIND_KNOWLEDGE = {**settings.CRMIND_KNOWLEDGE, "OCR_LANGUAGES": "eng+deu"}

    limits = extraction_limits()
    assert (limits.ocr_languages, limits.max_seconds) == ("eng+deu", 600)


def test_read_file__long_names_of_attachments_stay_apart(read):
    parts = "".join(
        f'--b\nContent-Disposition: attachment; filename="{name}"\n\ntext\n'
        for name in ("n" * 1200 + "1.txt", "n" * 1200 + "2.txt", "a.txt", "a.txt")
    )
    letter = f'Subject: x\nContent-Type: multipart/mixed; boundary="b"\n\n{parts}--b--\n'

    _, first, second, *same = read("m.eml", letter).documents

    assert len(first.external_id) == len(second.external_id) == 1000
    assert first.external_id != second.external_id
    assert [each.external_id for each in same] == ["m.eml#a.txt", "m.eml#a.txt (2)"]
