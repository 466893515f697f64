-- Adds up to `count` events, oldest first, to the statistic of their day and to the answers they served,
-- and deletes them; returns how many.
with taken as (
    delete from cachemgr_cacheevent
    where id in (
        select id from cachemgr_cacheevent order by id limit %(count)s for update skip locked
    )
    returning at, day, outcome, response_id, tokens_saved
),
days as (
    insert into cachemgr_cachestatistic (day, outcome, count, tokens_saved)
    select day, outcome, count(*), sum(tokens_saved)
    from taken
    group by day, outcome
    on conflict (day, outcome) do update
    set count = cachemgr_cachestatistic.count + excluded.count,
        tokens_saved = cachemgr_cachestatistic.tokens_saved + excluded.tokens_saved
),
answers as (
    update cachemgr_cachedresponse as r
    set hit_count = r.hit_count + served.hits,
        last_hit_at = greatest(r.last_hit_at, served.last_at)
    from (
        select response_id, count(*) as hits, max(at) as last_at
        from taken
        where response_id is not null
        group by response_id
    ) as served
    where r.id = served.response_id
)
select count(*) from taken
