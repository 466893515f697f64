-- Sets, for this transaction, how long a statement may take, how wide an HNSW scan is, and how far it
-- may go on when filters leave too few of what it found. The width is `ef_search`, or a thousandth of
-- the corpus where that is more: as wide a scan misses more of the nearest among more.
select
    set_config('statement_timeout', %(statement_timeout)s, true),
    set_config(
        'hnsw.ef_search',
        least(
            greatest(
                %(ef_search)s::int,
                (select coalesce(sum(chunk_count), 0) / 1000 from knowledge_corpusstatistic)
            ),
            %(max_ef_search)s::int
        )::int::text,
        true
    ),
    set_config('hnsw.max_scan_tuples', %(max_scan_tuples)s, true),
    set_config('hnsw.iterative_scan', 'relaxed_order', true)
