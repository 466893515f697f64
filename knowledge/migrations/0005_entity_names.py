"""Entities found by any of their names through an index: whole, and nearly."""

from django.db import migrations

# Both are immutable though PostgreSQL calls array_to_string stable: for text it is no less.
FUNCTIONS = """
create function knowledge_entity_aliases(aliases varchar[]) returns text[]
language sql immutable strict parallel safe
as $$ select array(select upper(alias) from unnest(aliases) as alias) $$;

create function knowledge_entity_names(name varchar, aliases varchar[]) returns text
language sql immutable strict parallel safe
as $$ select upper(name || chr(10) || array_to_string(aliases, chr(10))) $$;
"""
INDEXES = """
create index entity_aliases_folded
on knowledge_entity using gin (knowledge_entity_aliases(aliases)) with (fastupdate = off);

create index entity_names_trigram
on knowledge_entity using gin (knowledge_entity_names(name, aliases) gin_trgm_ops)
with (fastupdate = off);

create index entity_external_id_folded
on knowledge_entity (upper(external_id)) where external_id <> '';

create index entity_name_folded
on knowledge_entity (upper(name));
"""
UNDONE = """
drop index entity_name_folded;
drop index entity_external_id_folded;
drop index entity_names_trigram;
drop index entity_aliases_folded;
drop function knowledge_entity_names(varchar, varchar[]);
drop function knowledge_entity_aliases(varchar[]);
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0004_inline_search_vector")]

    operations = [
        migrations.RunSQL(FUNCTIONS + INDEXES, UNDONE),
    ]
