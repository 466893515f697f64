-- Returns (chunk_id, score), best first: the chunks of one text search configuration that hold a word
-- of the question, by BM25 as the extension pg_textsearch computes it. Its operator yields the
-- negative score, 0 without a match; the language is a literal, or the partial index would not apply.
select ranked.id, -ranked.distance as score
from (
    select c.id, {indexed} <@> to_bm25query(%(words)s, %(index)s) as distance
    from knowledge_chunk as c
    where c.language = %(language)s
    and {filters}
    order by {indexed} <@> to_bm25query(%(words)s, %(index)s)
    limit %(depth)s
) as ranked
where ranked.distance < 0
order by score desc, ranked.id
