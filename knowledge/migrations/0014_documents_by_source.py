"""The figures of sources from one index, built while documents are read and written."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("knowledge", "0013_paused_sources")]

    operations = [
        AddIndexConcurrently(
            model_name="document",
            index=models.Index(
                fields=["source", "status"],
                include=["chunk_count", "published_at", "fetched_at"],
                name="document_by_source",
            ),
        ),
    ]
