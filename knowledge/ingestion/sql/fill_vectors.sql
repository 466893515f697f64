-- Stores vectors of chunks that are still there with the text they were made of; a chunk that has one
-- keeps it.
INSERT INTO knowledge_chunkembedding (space_id, chunk_id, vector)
SELECT %(space_id)s, chunk.id, given.vector::vector
FROM unnest(%(chunk_ids)s::bigint[], %(hashes)s::text[], %(vectors)s::text[])
  AS given (chunk_id, content_hash, vector)
JOIN knowledge_chunk AS chunk
  ON chunk.id = given.chunk_id AND chunk.content_hash = given.content_hash
ORDER BY chunk.id
FOR KEY SHARE OF chunk
ON CONFLICT (space_id, chunk_id) DO NOTHING
