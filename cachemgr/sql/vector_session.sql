-- Sets, for this transaction, how far a scan of a vector index looks, and that it goes on when filters
-- leave too few of what it found.
select
    set_config('hnsw.ef_search', %(ef_search)s, true),
    set_config('hnsw.iterative_scan', 'relaxed_order', true)
