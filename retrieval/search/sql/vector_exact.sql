-- Returns (chunk_id, similarity), best first: the nearest of all chunks that the filters leave.
with in_scope as materialized (
    select c.id
    from knowledge_chunk as c
    where {filters}
)
select e.chunk_id, 1 - (e.vector <=> %(vector)s::vector) as similarity
from in_scope
join knowledge_chunkembedding as e on e.chunk_id = in_scope.id
where e.space_id = {space_id}
order by similarity desc, e.chunk_id
limit %(depth)s
