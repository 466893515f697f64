"""Many documents pushed together."""

import json

import pytest

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import EmbeddingError
from knowledge.models import Chunk, Document
from tests.factories.knowledge import DocumentFactory, SourceFactory

URL = "/api/v1/documents/bulk/"


def push(client, lines, **options):
    """Push lines (bytes, text or values) and return the response with its results."""
    written = [
        line if isinstance(line, bytes) else line.encode() if isinstance(line, str) else
        json.dumps(line).encode()
        for line in lines
    ]  # fmt: skip
    response = client.post(URL, b"\n".join(written), content_type="application/x-ndjson", **options)
    if not response.streaming:
        return response, None
    body = b"".join(response.streaming_content)
    return response, [json.loads(line) for line in body.splitlines()]


def document(number, **changes):
    return {"source": "notes", "external_id": str(number), "text": f"Note {number}", **changes}


@pytest.fixture
def notes(seeded):
    return SourceFactory(name="notes")


def test_bulk__one_result_a_line_in_order(writer, notes):
    SourceFactory(name="other")
    lines = [
        document(0),
        document(1, source="other"),
        document(2),
        document(0, text="Note 0 again"),
    ]

    response, results = push(writer, lines)

    assert response.status_code == 200
    assert response["Content-Type"] == "application/x-ndjson"
    assert [result["index"] for result in results] == [0, 1, 2, 3]
    assert [result["outcome"] for result in results] == ["added", "added", "added", "updated"]
    assert results[0] == {
        "index": 0,
        "external_id": "0",
        "id": Document.objects.get(source=notes, external_id="0").pk,
        "outcome": "added",
        "status": "ready",
        "code": "",
        "message": "",
        "warnings": [],
    }
    assert Chunk.objects.get(document__external_id="0").text == "Note 0 again"
    assert [each["outcome"] for each in push(writer, lines[1:3])[1]] == ["unchanged"] * 2


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("{", "invalid_document", "no JSON"),
        ("[1]", "invalid_document", "no JSON object"),
        (b"\xff\xfe{", "invalid_document", "no JSON in UTF-8"),
        ('{"external_id": NaN}', "invalid_document", "no JSON"),
        ("[" * 100_000, "invalid_document", "no JSON"),
        ("{}", "required", "source: "),
        (document("x", source="nowhere"), "unknown_source", "no source 'nowhere'"),
        (document("x", colour="red"), "unknown_key", "colour: Unknown key"),
        (document("x", text=5), "invalid", "text: "),
        (document("x", type="leaflet"), "unknown_source_type", "leaflet"),
        (document("x", access_tags=["board"]), "access_tag_not_held", "board"),
        (document("a\u202eb"), "invalid_document", "external_id"),
        (document("locked"), "access_tag_not_held", "board"),
    ],
)
def test_bulk__a_bad_line_stops_nothing(writer, notes, line, code, message):
    DocumentFactory(source=notes, external_id="locked", access_tags=["board"])

    response, results = push(writer, [document(1), line, document(2)])

    assert response.status_code == 200
    assert [result["status"] for result in results][::2] == ["ready", "ready"]
    assert (results[1]["index"], results[1]["outcome"], results[1]["code"]) == (1, "failed", code)
    assert message in results[1]["message"]
    assert set(Document.objects.filter(status="ready", chunk_count=1).values_list(
        "external_id", flat=True
    )) == {"1", "2"}  # fmt: skip


def test_bulk__blank_lines_and_a_mark_of_byte_order(writer, notes):
    first = b"\xef\xbb\xbf" + json.dumps(document(0)).encode() + b"\r"

    _, results = push(writer, ["", first, "  ", document(1), ""])

    assert [(each["index"], each["external_id"]) for each in results] == [(0, "0"), (1, "1")]


def test_bulk__a_document_without_text_needs_attention(writer, notes):
    _, (result,) = push(writer, [document(0, text="\u200b ")])

    assert (result["status"], result["code"]) == ("needs_attention", "")
    assert "no text" in result["message"]


def test_bulk__embedding_that_fails_is_told_for_each(writer, notes, monkeypatch):
    def refuse(self, texts):
        if any("poison" in text for text in texts):
            message = "the server answers 500"
            raise EmbeddingError(message)
        return embed(self, texts)

    embed = HashingEmbedder.embed_passages
    monkeypatch.setattr(HashingEmbedder, "embed_passages", refuse)

    _, results = push(writer, [document(0), document(1, text="poison"), document(2)])

    assert [result["code"] for result in results] == ["", "embedding_unavailable", ""]
    assert [result["status"] for result in results] == ["ready", "failed", "ready"]


def test_bulk__limits(writer, notes, settings):
    settings.CRMIND_KNOWLEDGE = {
        **settings.CRMIND_KNOWLEDGE,
        "BULK_MAX_DOCUMENTS": 2,
        "BULK_MAX_BYTES": 3_000,
    }
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    long = document(1, text="x" * 2_000)

    _, results = push(writer, [document(0), long, document(2)])

    assert [result["code"] for result in results] == ["", "too_much", "too_much"]
    response, _ = push(writer, [document(n, text="x" * 900) for n in range(4)])
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "too_much"


def test_bulk__needs_a_key_that_may_write(client_with, client, notes):
    assert push(client_with("everyone"), [document(0)])[0].status_code == 403
    response = client.post(URL, b"", content_type="application/x-ndjson")
    assert response.status_code == 401
    assert not Document.objects.exists()


def test_bulk__plain_json_is_refused(writer, notes):
    assert writer.post(URL, document(0), format="json").status_code == 415
    response, _ = push(writer, [document(0)], headers={"accept": "application/x-ndjson"})
    assert response.status_code == 200


def test_bulk__reads_as_it_goes(writer, notes, monkeypatch):
    """Bounded memory: what was stored is told before the rest is read."""
    written = []
    embed = HashingEmbedder.embed_passages

    def note(self, texts):
        written.append(len(texts))
        return embed(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed_passages", note)
    body = b"\n".join(json.dumps(document(n)).encode() for n in range(200))
    response = writer.post(URL, body, content_type="application/x-ndjson")
    results = iter(response.streaming_content)

    next(results)

    assert sum(written) == 64
    assert len(list(results)) == 199
    assert Document.objects.count() == 200
