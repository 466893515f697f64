-- Returns (label, access tags, source, source type, entity, number of chunks): no filter, then of the
-- sources, the source types and the entities the one with most chunks and the one with fewest. Every
-- access tag in use is given, so that the reader sees all.
with active as materialized (
    select c.source_id, c.source_type_id, c.entity_ids, c.access_tags
    from knowledge_chunk as c
    where c.is_active
),
counted as (
    select
        'source' as kind,
        source_id,
        null::bigint as source_type_id,
        null::uuid as entity_id,
        count(*) as n
    from active
    group by source_id
    union all
    select 'type', null, source_type_id, null, count(*)
    from active
    group by source_type_id
    union all
    select 'entity', null, null, entity.id, count(*)
    from active
    cross join unnest(active.entity_ids) as entity(id)
    group by entity.id
),
placed as (
    select
        counted.*,
        row_number() over most as from_top,
        row_number() over fewest as from_bottom
    from counted
    window
        most as (partition by kind order by n desc, source_id, source_type_id, entity_id),
        fewest as (
            partition by kind order by n, source_id desc, source_type_id desc, entity_id desc
        )
),
tags as (
    select array_agg(distinct tag) as known
    from active
    cross join unnest(active.access_tags) as tag
)
select
    'none',
    coalesce(tags.known, '{}'),
    null::bigint,
    null::bigint,
    null::uuid,
    (select count(*) from active)
from tags
union all
select *
from (
    select
        kind || case when from_top = 1 then ' with most' else ' with fewest' end,
        tags.known,
        source_id,
        source_type_id,
        entity_id,
        n
    from placed
    cross join tags
    where from_top = 1
    or from_bottom = 1
    order by array_position(array['source', 'type', 'entity'], kind), n desc
) as extremes
