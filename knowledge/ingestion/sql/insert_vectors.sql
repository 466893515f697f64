-- Stores the vectors of chunks in one space; a chunk that has one there keeps it.
INSERT INTO knowledge_chunkembedding (space_id, chunk_id, vector)
SELECT %(space_id)s, given.chunk_id, given.vector::vector
FROM unnest(%(chunk_ids)s::bigint[], %(vectors)s::text[]) AS given (chunk_id, vector)
ON CONFLICT (space_id, chunk_id) DO NOTHING
