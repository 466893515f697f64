-- Returns (language, language_size, expansion, word, reading, lexeme, document_frequency,
-- repeated_frequency) for every text search configuration in use: the lexemes of a question's words,
-- in how many chunks each occurs, in how many of them more than once (null if it was never counted)
-- and how many chunks there are. `word` is the place of the word in the question, or in another
-- wording of it where `expansion` is not 0; what is read as part of an identifier or unstemmed is
-- parsed as `simple`. What has no lexeme is a row with null. Each lexeme is looked up by itself: a join
-- may read all the statistics. Where no configuration has any statistics, that of a chunk stands for all.
select
    corpus.language,
    corpus.chunk_count,
    part.expansion,
    part.word,
    part.reading,
    parsed.lexeme,
    counted.document_frequency,
    counted.repeated_frequency
from (
    select language, chunk_count from knowledge_corpusstatistic
    union all
    (
        select language, 0 from knowledge_chunk
        where is_active and not exists (select from knowledge_corpusstatistic)
        limit 1
    )
) as corpus
cross join unnest(%(expansions)s::int[], %(words)s::int[], %(readings)s::text[], %(texts)s::text[])
    as part(expansion, word, reading, text)
left join lateral unnest(
    to_tsvector(
        case part.reading when 'word' then corpus.language else 'simple' end::regconfig, part.text
    )
) as parsed on true
left join lateral (
    select term.document_frequency, term.repeated_frequency
    from knowledge_termstatistic as term
    where term.lexeme = parsed.lexeme
    and term.language = corpus.language
    offset 0
) as counted on true
