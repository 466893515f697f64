-- Returns (chunk_id, score) of given chunks of one text search configuration, scored as the keyword
-- arm scores; null where no term occurs.
select
    candidate.id,
    (
        select sum(term.idf * ts_rank(candidate.terms, term.lexeme, 1))
        from unnest(%(lexemes)s::tsquery[], %(idfs)s::float8[]) as term(lexeme, idf)
    ) as score
from (
    select c.id, c.search_vector || ''::tsvector as terms
    from knowledge_chunk as c
    where c.id = any(%(chunk_ids)s::bigint[])
    and c.language = %(language)s
) as candidate
