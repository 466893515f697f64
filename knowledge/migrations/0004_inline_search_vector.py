"""Keep what the keyword arm scores in the row itself, and move the text out of it instead.

A search scores thousands of vectors, and reads the text of at most some hundreds. Rows that are
there already follow as they are written, or at once with VACUUM FULL knowledge_chunk.
"""

from django.db import migrations

SET_STORAGE = "ALTER TABLE knowledge_chunk ALTER COLUMN search_vector SET STORAGE {}"


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0003_repeated_terms")]

    operations = [
        migrations.RunSQL(SET_STORAGE.format("MAIN"), SET_STORAGE.format("EXTENDED")),
    ]
