"""A text of three passages, and what is stored of it."""

from knowledge.models import Chunk

FAQ = """# Returns

Goods come back within thirty days if they are whole and if the seal of the box is not broken.

# Parking

Park behind the hall, never on the ramp, and leave a note with your number behind the window.

# Hours

The warehouse is closed on {day}. On other days ring the bell beside the green door and wait.
"""

SHORT_CHUNKS = {"EMBEDDING_PROVIDER": "hashing", "CHUNK_TARGET_TOKENS": 32}


def texts_of(document_id):
    chunks = Chunk.objects.filter(document=document_id).order_by("position")
    return list(chunks.values_list("text", flat=True))


def ids_of(document_id):
    chunks = Chunk.objects.filter(document=document_id).order_by("position")
    return list(chunks.values_list("pk", flat=True))


def found_by_words(query):
    """Return the active chunks in which every word of the query occurs."""
    return set(
        Chunk.objects.filter(is_active=True)
        .extra(where=["search_vector @@ plainto_tsquery('english', %s)"], params=[query])
        .values_list("text", flat=True)
    )
