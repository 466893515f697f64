-- Returns (chunk_id, similarity), best first: the nearest chunks by the HNSW index of one space. The
-- space and its width are literals, or the partial index would not apply; the index is in half
-- precision, the similarity in full.
select nearest.chunk_id, 1 - (nearest.vector <=> %(vector)s::vector) as similarity
from (
    select e.chunk_id, e.vector
    from knowledge_chunkembedding as e
    join knowledge_chunk as c on c.id = e.chunk_id
    where e.space_id = {space_id}
    and {filters}
    order by e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
    limit %(depth)s
) as nearest
order by similarity desc, nearest.chunk_id
