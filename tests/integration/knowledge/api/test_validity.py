"""How long a document holds and what it replaces, told in each way there is."""

import json
from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from knowledge.models import Chunk, Document
from tests.factories.knowledge import SourceFactory

TERMS = "supersedes,valid_from,valid_until"
MAPPING = [f"{field}={field}" for field in ("external_id", "text", *TERMS.split(","))]


def by_front_matter(folder, writer):
    (folder / "2030").write_text("Support answers in 8 hours.")
    (folder / "2031").write_text(
        "---\nsupersedes: '2030'\nvalid_from: 2031-01-01\nvalid_until: 2031-12-31T23:59Z\n---\n"
        "Support answers in 4 hours."
    )
    call_command("ingest", str(folder), source="terms")


def by_csv(folder, writer):
    (folder / "terms.csv").write_text(
        f"external_id,text,{TERMS}\n2030,Support answers in 8 hours.,,,\n"
        "2031,Support answers in 4 hours.,2030,2031-01-01,2031-12-31 23:59\n"
    )
    call_command("ingest", str(folder / "terms.csv"), source="terms", map=MAPPING)


def by_json_lines(folder, writer):
    rows = (
        # The order does not matter.
        {"external_id": "2031", "text": "Support answers in 4 hours.", "supersedes": "2030",
         "valid_from": "2031-01-01", "valid_until": "2031-12-31T23:59Z"},
        {"external_id": "2030", "text": "Support answers in 8 hours."},
    )  # fmt: skip
    (folder / "terms.jsonl").write_text("\n".join(map(json.dumps, rows)))
    call_command("ingest", str(folder / "terms.jsonl"), source="terms", map=MAPPING)


def by_api(folder, writer):
    SourceFactory(name="terms")
    old = {"source": "terms", "external_id": "2030", "text": "Support answers in 8 hours."}
    new = {**old, "external_id": "2031", "text": "Support answers in 4 hours.",
           "supersedes": "2030", "valid_from": "2031-01-01T00:00:00Z",
           "valid_until": "2031-12-31T23:59:00Z"}  # fmt: skip
    assert writer.post("/api/v1/documents/", old).status_code == 201
    assert writer.post("/api/v1/documents/", new).status_code == 201


def by_bulk_api(folder, writer):
    SourceFactory(name="terms")
    old = {"source": "terms", "external_id": "2030", "text": "Support answers in 8 hours."}
    new = {**old, "external_id": "2031", "text": "Support answers in 4 hours.",
           "supersedes": "2030", "valid_from": "2031-01-01T00:00:00Z",
           "valid_until": "2031-12-31T23:59:00Z"}  # fmt: skip
    lines = "\n".join(map(json.dumps, (old, new)))
    content_type = "application/x-ndjson"
    response = writer.post("/api/v1/documents/bulk/", lines.encode(), content_type=content_type)
    assert b"".join(response.streaming_content).count(b'"added"') == 2


@pytest.mark.parametrize("tell", [by_front_matter, by_csv, by_json_lines, by_api, by_bulk_api])
def test_validity__told(tell, tmp_path, writer, seeded):
    tell(tmp_path, writer)

    old, new = Document.objects.order_by("external_id")
    starts = datetime(2031, 1, 1, tzinfo=UTC)
    ends = datetime(2031, 12, 31, 23, 59, tzinfo=UTC)
    assert (new.supersedes, new.valid_from, new.valid_until) == (old, starts, ends)
    assert (old.valid_from, old.valid_until, old.warnings) == (None, starts, [])
    validity = Chunk.objects.values_list("document__external_id", "valid_from", "valid_until")
    assert set(validity) == {("2030", None, starts), ("2031", starts, ends)}


def test_validity__replacing_what_is_not_there_is_told(writer, seeded):
    SourceFactory(name="terms")
    new = {"source": "terms", "external_id": "2031", "text": "New.", "supersedes": "2030"}

    response = writer.post("/api/v1/documents/", new)

    assert response.json()["warnings"] == [
        "supersedes: there is no document '2030' in this source."
    ]
