-- Sets, for this transaction, how long a statement may take, how wide an HNSW scan is, and how far it
-- may go on when filters leave too few of what it found.
select
    set_config('statement_timeout', %(statement_timeout)s, true),
    set_config('hnsw.ef_search', %(ef_search)s, true),
    set_config('hnsw.max_scan_tuples', %(max_scan_tuples)s, true),
    set_config('hnsw.iterative_scan', 'relaxed_order', true)
