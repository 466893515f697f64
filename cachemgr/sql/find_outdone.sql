-- Returns ids of live answers for which one of the given chunks, which they do not cite, is nearly as
-- good evidence as the weakest chunk they cite, or holds every word of the question. Looks at the
-- answers nearest to each chunk, as many as `depth`. The space and its width are literals, or its
-- partial index would not apply.
select distinct nearest.id
from knowledge_chunkembedding as e
join knowledge_chunk as c on c.id = e.chunk_id
cross join lateral (
    select r.id, r.question, r.evidence_similarity, 1 - (r.vector <=> e.vector) as similarity
    from cachemgr_cachedresponse as r
    where r.space_id = {space_id}
    and r.invalidated_at is null
    -- Taken for unlikely, the condition would keep the planner from the vector index.
    and case when {within_scope} then true else false end
    order by {distance}
    limit %(depth)s
) as nearest
where e.space_id = {space_id}
and e.chunk_id = any(%(chunk_ids)s::bigint[])
and (
    nearest.similarity >= %(share)s * nearest.evidence_similarity
    or c.search_vector @@ plainto_tsquery(c.language::regconfig, nearest.question)
)
and not exists (
    select 1
    from cachemgr_cachedcitation as cited
    where cited.response_id = nearest.id
    and cited.chunk_id = e.chunk_id
)
