-- Returns (chunk_id, similarity) of given chunks that have a vector in one space.
select e.chunk_id, 1 - (e.vector <=> %(vector)s::vector) as similarity
from knowledge_chunkembedding as e
where e.space_id = {space_id}
and e.chunk_id = any(%(chunk_ids)s::bigint[])
