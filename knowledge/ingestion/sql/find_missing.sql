-- Returns (chunk_id, title, heading_path, prefix, text, content_hash) of the next chunks, in order of
-- id, that have no vector in a space.
SELECT
  chunk.id,
  document.title,
  chunk.heading_path,
  chunk.prefix,
  chunk.text,
  chunk.content_hash
FROM knowledge_chunk AS chunk
JOIN knowledge_document AS document ON document.id = chunk.document_id
WHERE chunk.id > %(after)s
  AND NOT EXISTS (
    SELECT 1
    FROM knowledge_chunkembedding AS embedding
    WHERE embedding.chunk_id = chunk.id AND embedding.space_id = %(space_id)s
  )
ORDER BY chunk.id
LIMIT %(limit)s
