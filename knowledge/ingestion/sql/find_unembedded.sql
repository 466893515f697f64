-- Returns the documents, of those given, that have a chunk without a vector in a space.
SELECT DISTINCT chunk.document_id
FROM knowledge_chunk AS chunk
WHERE chunk.document_id = ANY(%(document_ids)s)
  AND NOT EXISTS (
    SELECT 1
    FROM knowledge_chunkembedding AS embedding
    WHERE embedding.chunk_id = chunk.id AND embedding.space_id = %(space_id)s
  )
