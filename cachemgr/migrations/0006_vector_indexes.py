"""Builds the vector indexes over the questions of the embedding spaces that exist."""

from typing import Any

from django.db import migrations


def create_indexes(apps: Any, schema_editor: Any) -> None:
    spaces = apps.get_model('knowledge', 'EmbeddingSpace').objects.order_by('pk')
    for space_id, dimensions in spaces.values_list('pk', 'dimensions'):
        name = f'cachedresponse_hnsw_space_{space_id:d}'
        # What an interrupted build left behind is not valid.
        schema_editor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS {name}')
        schema_editor.execute(
            f'CREATE INDEX CONCURRENTLY {name} ON cachemgr_cachedresponse'
            f' USING hnsw ((vector::halfvec({dimensions:d})) halfvec_cosine_ops)'
            ' WITH (m = 16, ef_construction = 64)'
            f' WHERE space_id = {space_id:d} AND invalidated_at IS NULL'
        )


def drop_indexes(apps: Any, schema_editor: Any) -> None:
    for space_id in apps.get_model('knowledge', 'EmbeddingSpace').objects.values_list('pk', flat=True):
        schema_editor.execute(f'DROP INDEX IF EXISTS cachedresponse_hnsw_space_{space_id:d}')


class Migration(migrations.Migration):

    # Indexes on large tables are created concurrently.
    atomic = False

    dependencies = [
        ('cachemgr', '0005_events_and_tokens'),
    ]

    operations = [migrations.RunPython(create_indexes, drop_indexes)]
