-- Returns (chunk_id, score), best first: ordinary full-text search, all words of the question, as in
-- the reference design that evaluations compare with; no search uses it.
select c.id, ts_rank(c.search_vector, words.query) as score
from knowledge_chunk as c
cross join plainto_tsquery(%(language)s::regconfig, %(question)s) as words(query)
where c.search_vector @@ words.query
and {filters}
order by score desc, c.id
limit %(depth)s
