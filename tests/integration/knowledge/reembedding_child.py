"""Fills an embedding space in a process of its own, which a test kills."""

import os
import sys
import threading

import django


def main(database, space_id, batch, pause):
    """Fill the space in the database of the test, `batch` passages at a time."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crmind.settings")
    django.setup()
    from django.db import connection  # noqa: PLC0415 # after the set-up

    connection.settings_dict["NAME"] = database
    from knowledge.embedding.hashing import HashingEmbedder  # noqa: PLC0415 # as above
    from knowledge.models import EmbeddingSpace  # noqa: PLC0415 # as above
    from knowledge.services import reembedding  # noqa: PLC0415 # as above

    embed = HashingEmbedder.embed_passages

    def embed_slowly(self, texts):
        threading.Event().wait(pause)
        return embed(self, texts)

    HashingEmbedder.embed_passages = embed_slowly
    reembedding.BATCH_CHUNKS = batch
    space = EmbeddingSpace.objects.get(pk=space_id)
    reembedding.fill_space(space, on_progress=lambda _: None)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
