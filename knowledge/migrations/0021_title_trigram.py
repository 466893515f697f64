"""Titles that hold something like a word, found through an index."""

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations
from django.db.models.functions import Upper


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("knowledge", "0020_embedding_model_history")]

    operations = [
        AddIndexConcurrently(
            model_name="document",
            index=GinIndex(
                OpClass(Upper("title"), name="gin_trgm_ops"), name="document_title_trigram"
            ),
        ),
    ]
