-- Returns (chunk_id, score, candidate_count), best first: the chunks of one text search
-- configuration that match `candidates`. The score sums idf x ts_rank, divided by 1 + log of the
-- length, over every term. The vector is rebuilt once per chunk: else each term would unpack it.
select scored.id, scored.score, count(*) over () as candidate_count
from (
    select
        candidate.id,
        (
            select sum(term.idf * ts_rank(candidate.terms, term.lexeme, 1))
            from unnest(%(lexemes)s::tsquery[], %(idfs)s::float8[]) as term(lexeme, idf)
        ) as score
    from (
        select c.id, c.search_vector || ''::tsvector as terms
        from knowledge_chunk as c
        where c.search_vector @@ %(candidates)s::tsquery
        and c.language = %(language)s
        and {filters}
        limit %(most)s
    ) as candidate
    offset 0
) as scored
order by scored.score desc, scored.id
limit %(depth)s
