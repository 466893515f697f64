-- Returns (chunk_id, score) of those of the given chunks of one text search configuration that hold a
-- word of the question, scored as bm25.sql scores.
select scored.id, -scored.distance as score
from (
    select c.id, {indexed} <@> to_bm25query(%(words)s, %(index)s) as distance
    from knowledge_chunk as c
    where c.id = any(%(chunk_ids)s::bigint[])
    and c.language = %(language)s
) as scored
where scored.distance < 0
