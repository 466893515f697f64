-- Returns ids of live answers to questions without a vector, among whose scope one of the given chunks
-- is that they do not cite: nothing tells how good evidence it is.
select distinct r.id
from cachemgr_cachedresponse as r
cross join knowledge_chunk as c
where r.space_id = {space_id}
and r.vector is null
and r.invalidated_at is null
and c.id = any(%(chunk_ids)s::bigint[])
and {within_scope}
and not exists (
    select 1
    from cachemgr_cachedcitation as cited
    where cited.response_id = r.id
    and cited.chunk_id = c.id
)
