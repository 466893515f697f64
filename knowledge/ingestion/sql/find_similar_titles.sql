-- Returns (word, title): titles that hold something like each word, of documents that readers with these
-- tags may find; at most `most` for each word. How like, name_similarity sets.
SELECT word, document.title
FROM unnest(%(words)s::text[]) AS word
CROSS JOIN LATERAL (
  SELECT document.title
  FROM knowledge_document AS document
  JOIN knowledge_source AS source ON source.id = document.source_id
  WHERE upper(word) <%% upper(document.title)
  AND document.access_tags && %(readable_with)s::varchar[]
  AND document.status <> 'retired'
  AND document.chunk_count > 0
  AND source.enabled
  LIMIT %(most)s
) AS document
