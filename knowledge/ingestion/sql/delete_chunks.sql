-- Removes chunks with their vectors.
WITH removed AS (
  DELETE FROM knowledge_chunkembedding WHERE chunk_id = ANY(%(chunk_ids)s)
)
DELETE FROM knowledge_chunk WHERE id = ANY(%(chunk_ids)s)
