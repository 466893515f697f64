-- Inserts the passages of one document; returns (id, position). Readers, dates and the like come
-- from the rows of the document and its source, so that there is one place they are decided.
INSERT INTO knowledge_chunk (
  document_id, position, text, prefix, heading_path, start, "end", token_count, content_hash,
  extra_terms, search_vector, is_switched_off, is_active, source_id, source_type_id, language,
  access_tags, entity_ids, published_at, valid_from, valid_until
)
SELECT
  document.id,
  passage.position,
  passage.text,
  passage.prefix,
  passage.heading_path,
  passage.start,
  passage."end",
  passage.token_count,
  passage.content_hash,
  passage.extra_terms,
  to_tsvector(document.language::regconfig, passage.search_text)
    || to_tsvector('simple', passage.extra_terms),
  false,
  source.enabled AND document.status <> 'retired',
  document.source_id,
  coalesce(document.source_type_id, source.source_type_id),
  document.language,
  document.access_tags,
  ARRAY(
    SELECT link.entity_id
    FROM knowledge_document_entities AS link
    WHERE link.document_id = document.id
    ORDER BY link.entity_id
  ),
  document.published_at,
  document.valid_from,
  document.valid_until
FROM knowledge_document AS document
JOIN knowledge_source AS source ON source.id = document.source_id
CROSS JOIN jsonb_to_recordset(%(passages)s::jsonb) AS passage (
  position integer,
  text text,
  prefix text,
  heading_path text[],
  start integer,
  "end" integer,
  token_count integer,
  content_hash text,
  extra_terms text,
  search_text text
)
WHERE document.id = %(document_id)s
RETURNING id, position
