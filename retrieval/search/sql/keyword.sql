-- Returns (chunk_id, score, candidate_count), best first: the chunks of one text search
-- configuration that match `held`, or repeat lexemes so that they match `repeated`; null matches
-- nothing. The score is the sum of idf x ts_rank, divided by 1 + log of the length, over every term.
-- Deleting the empty lexeme changes nothing: each vector is fetched once, not once for every term.
select scored.id, scored.score, count(*) over () as candidate_count
from (
    select candidate.id, {score} as score
    from (
        select c.id, ts_delete(c.search_vector, '') as terms
        from knowledge_chunk as c
        where (
            c.search_vector @@ %(held)s::tsquery
            or crmind_repeated(c.search_vector) @@ %(repeated)s::tsquery
        )
        and c.language = %(language)s
        and {filters}
        limit %(most)s
    ) as candidate
    offset 0
) as scored
order by scored.score desc, scored.id
limit %(depth)s
