"""Words that a passage repeats: an index of them, and how many passages repeat each word."""

import django.contrib.postgres.indexes
from django.db import migrations, models

import knowledge.models.chunk

CREATE_FUNCTION = """
CREATE FUNCTION crmind_repeated(vector tsvector) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
  SELECT array_to_tsvector(coalesce(array_agg(lexeme), ARRAY[]::text[]))
  FROM unnest(vector)
  WHERE cardinality(positions) > 1
$$
"""
DROP_FUNCTION = "DROP FUNCTION crmind_repeated(tsvector)"
# About so many of the passages that hold a word repeat it; the next count says it better.
GUESS = "UPDATE knowledge_termstatistic SET repeated_frequency = (document_frequency + 3) / 4"


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0002_initial")]

    operations = [
        migrations.RunSQL(CREATE_FUNCTION, DROP_FUNCTION),
        migrations.AddField(
            model_name="termstatistic",
            name="repeated_frequency",
            field=models.PositiveIntegerField(
                default=0,
                help_text="In how many of them it occurs more than once (estimated).",
            ),
        ),
        migrations.RunSQL(GUESS, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="chunk",
            index=django.contrib.postgres.indexes.GinIndex(
                knowledge.models.chunk.Repeated("search_vector"),
                fastupdate=False,
                name="chunk_repeated_terms",
            ),
        ),
    ]
