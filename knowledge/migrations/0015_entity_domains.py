"""Entities found by any of their domains through an index."""

from django.db import migrations

INDEX = """
create index concurrently if not exists entity_domains_folded
on knowledge_entity using gin (knowledge_entity_aliases(domains)) with (fastupdate = off);
"""


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("knowledge", "0014_documents_by_source")]

    operations = [
        migrations.RunSQL(INDEX, "drop index concurrently if exists entity_domains_folded;"),
    ]
