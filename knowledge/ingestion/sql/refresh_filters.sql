-- Copies what search filters by from documents and sources to their chunks; returns how many rows
-- changed. Pass a source, or some documents, or both; NULL means any.
UPDATE knowledge_chunk AS chunk
SET
  is_active = wanted.is_active AND NOT chunk.is_switched_off,
  source_type_id = wanted.source_type_id,
  access_tags = wanted.access_tags,
  entity_ids = wanted.entity_ids,
  published_at = wanted.published_at,
  valid_from = wanted.valid_from,
  valid_until = wanted.valid_until
FROM (
  SELECT
    document.id,
    source.enabled AND document.status <> 'retired' AS is_active,
    coalesce(document.source_type_id, source.source_type_id) AS source_type_id,
    document.access_tags,
    ARRAY(
      SELECT link.entity_id
      FROM knowledge_document_entities AS link
      WHERE link.document_id = document.id
      ORDER BY link.entity_id
    ) AS entity_ids,
    document.published_at,
    document.valid_from,
    document.valid_until
  FROM knowledge_document AS document
  JOIN knowledge_source AS source ON source.id = document.source_id
  WHERE (%(source_id)s::bigint IS NULL OR document.source_id = %(source_id)s)
    AND (%(document_ids)s::bigint[] IS NULL OR document.id = ANY(%(document_ids)s))
) AS wanted
WHERE chunk.document_id = wanted.id
  AND (
    chunk.is_active, chunk.source_type_id, chunk.access_tags, chunk.entity_ids,
    chunk.published_at, chunk.valid_from, chunk.valid_until
  ) IS DISTINCT FROM (
    wanted.is_active AND NOT chunk.is_switched_off, wanted.source_type_id, wanted.access_tags,
    wanted.entity_ids, wanted.published_at, wanted.valid_from, wanted.valid_until
  )
