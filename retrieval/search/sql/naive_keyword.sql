-- Returns (chunk_id, score), best first: ordinary full-text search, any of the words, every match
-- ranked. The yardstick of the benchmark; no search uses it.
select c.id, ts_rank(c.search_vector, %(words)s::tsquery) as score
from knowledge_chunk as c
where c.search_vector @@ %(words)s::tsquery
and {filters}
order by score desc, c.id
limit %(depth)s
