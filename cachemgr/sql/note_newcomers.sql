-- Keeps with each store key in use how near to its question the nearest of the given chunks is that it
-- was not offered; one that holds all its words is as near as can be,
-- and to a question without a vector every one is.
update cachemgr_storekey as granted
set newcomer_similarity = greatest(granted.newcomer_similarity, came.similarity)
from (
    select
        pending.key,
        max(
            case
                when c.search_vector @@ plainto_tsquery(c.language::regconfig, pending.question) then 1
                else coalesce(1 - (pending.vector <=> e.vector), 1)
            end
        ) as similarity
    from cachemgr_storekey as pending
    cross join knowledge_chunkembedding as e
    join knowledge_chunk as c on c.id = e.chunk_id
    where pending.space_id = {space_id}
    and pending.used_at is null
    and pending.expires_at > %(now)s
    and e.space_id = {space_id}
    and e.chunk_id = any(%(chunk_ids)s::bigint[])
    and not pending.evidence @> jsonb_build_array(jsonb_build_object('chunk_id', e.chunk_id))
    and {within_scope}
    group by pending.key
) as came
where granted.key = came.key
and granted.used_at is null
