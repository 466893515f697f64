"""Entities found by their names whatever the punctuation and accents, through an index."""

from django.db import migrations

# Punctuation, without the signs that tell names apart: C++, C#, addresses of mail.
FUNCTION = r"""
create function knowledge_entity_keys(name varchar, aliases varchar[]) returns text[]
language sql immutable strict parallel safe
as $$
  select array(
    select btrim(regexp_replace(
      regexp_replace(normalize(replace(upper(each), '&', ' AND '), NFKD), '[\u0300-\u036f]', '', 'g'),
      '[-\s!"''’‘“”«»()*,./:;?_–—·]+', ' ', 'g'
    ))
    from unnest(array_prepend(name, aliases)) as each
  )
$$;
"""  # noqa: RUF001 # the quotation marks and dashes of typographers
INDEX = """
create index concurrently if not exists entity_keys
on knowledge_entity using gin (knowledge_entity_keys(name, aliases)) with (fastupdate = off);
"""


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("knowledge", "0018_plain_names")]

    operations = [
        migrations.RunSQL(FUNCTION, "drop function knowledge_entity_keys(varchar, varchar[]);"),
        migrations.RunSQL(INDEX, "drop index concurrently if exists entity_keys;"),
    ]
