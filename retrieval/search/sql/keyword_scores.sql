-- Returns (chunk_id, score) of given chunks of one text search configuration, scored as the keyword
-- arm scores; about 0 where no term occurs.
select candidate.id, {score} as score
from (
    select c.id, ts_delete(c.search_vector, '') as terms
    from knowledge_chunk as c
    where c.id = any(%(chunk_ids)s::bigint[])
    and c.language = %(language)s
    offset 0
) as candidate
