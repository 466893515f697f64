"""Writes of documents against the real database."""

from knowledge.models import Chunk, ChunkEmbedding, DocumentBody
from knowledge.services import Outcome

FAQ = """# Returns

Goods come back within 30 days.

# Parking

Park behind the hall.

# Hours

The warehouse is closed on Tuesday.
"""


def texts_of(document_id):
    chunks = Chunk.objects.filter(document=document_id).order_by("position")
    return list(chunks.values_list("text", flat=True))


def test_store_document__adds(shelf):
    outcome = shelf.store(text="Blue lantern policy", title="Lanterns")

    assert (outcome.outcome, outcome.status, outcome.reason) == (Outcome.ADDED, "ready", "")
    assert (outcome.chunk_count, outcome.embedded_count) == (1, 1)
    assert texts_of(outcome.document_id) == ["Blue lantern policy"]
    assert DocumentBody.objects.get(document=outcome.document_id).text == "Blue lantern policy"
    assert ChunkEmbedding.objects.filter(chunk__document=outcome.document_id).count() == 1
