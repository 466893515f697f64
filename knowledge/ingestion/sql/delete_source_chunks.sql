-- Removes every chunk of a source with its vectors.
WITH removed AS (
  DELETE FROM knowledge_chunkembedding AS embedding
  USING knowledge_chunk AS chunk
  WHERE embedding.chunk_id = chunk.id AND chunk.source_id = %(source_id)s
)
DELETE FROM knowledge_chunk WHERE source_id = %(source_id)s
