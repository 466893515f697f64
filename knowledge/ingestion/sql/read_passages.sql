-- Returns (document_id, chunk_id, content_hash, has_vector) of the chunks of documents, in order.
SELECT
  chunk.document_id,
  chunk.id,
  chunk.content_hash,
  EXISTS (
    SELECT 1
    FROM knowledge_chunkembedding AS embedding
    WHERE embedding.chunk_id = chunk.id AND embedding.space_id = %(space_id)s
  )
FROM knowledge_chunk AS chunk
WHERE chunk.document_id = ANY(%(document_ids)s)
ORDER BY chunk.document_id, chunk.position
