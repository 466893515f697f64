-- Returns what ranking, verdict and context need to know of chunks, in the order of the fields of
-- Evidence; the last column holds those of `lexemes` that occur in the chunk. A successor counts
-- from its own date on.
select
    c.id,
    c.content_hash,
    c.document_id,
    c.position,
    c.text,
    c.prefix,
    c.heading_path,
    c.start,
    c."end",
    c.token_count,
    document.title,
    document.url,
    document.external_id,
    source.id,
    source.name,
    source_type.slug,
    source_type.label,
    c.published_at,
    document.fetched_at,
    c.valid_from,
    c.valid_until,
    cardinality(succession.ids) > 0,
    succession.ids,
    c.access_tags,
    c.entity_ids,
    least(source.trust, document.trust),
    coalesce(source.authority_override, source_type.authority),
    source_type.half_life_days,
    c.language,
    array(
        select term.lexeme
        from unnest(%(languages)s::text[], %(lexemes)s::text[], %(queries)s::tsquery[])
            as term(language, lexeme, query)
        where term.language = c.language
        and c.terms @@ term.query
    )
from (
    select c.*, ts_delete(c.search_vector, '') as terms
    from knowledge_chunk as c
    where c.id = any(%(chunk_ids)s::bigint[])
    and {filters}
    offset 0
) as c
join knowledge_document as document on document.id = c.document_id
join knowledge_source as source on source.id = c.source_id
join knowledge_sourcetype as source_type on source_type.id = c.source_type_id
cross join lateral (
    with recursive successor as (
        select next.id, next.status, next.valid_from, next.published_at
        from knowledge_document as next
        where next.supersedes_id = document.id
        union
        select next.id, next.status, next.valid_from, next.published_at
        from successor
        join knowledge_document as next on next.supersedes_id = successor.id
    )
    select array(
        select id
        from successor
        where id <> document.id
        and status <> 'retired'
        and coalesce(valid_from, published_at, %(as_of)s::timestamptz) <= %(as_of)s::timestamptz
        order by id
    ) as ids
) as succession
