-- Condition of every statement that reads chunks `c`: searchable, readable, within the filters.
c.is_active
and c.access_tags && %(access_tags)s::varchar[]
and (%(entity_ids)s::uuid[] is null or c.entity_ids && %(entity_ids)s::uuid[])
and (%(source_ids)s::bigint[] is null or c.source_id = any(%(source_ids)s::bigint[]))
and (%(source_type_ids)s::bigint[] is null or c.source_type_id = any(%(source_type_ids)s::bigint[]))
and (%(since)s::timestamptz is null or c.published_at >= %(since)s::timestamptz)
and (%(until)s::timestamptz is null or c.published_at < %(until)s::timestamptz)
and (
    %(known_by)s::timestamptz is null
    or c.published_at is null
    or c.published_at <= %(known_by)s::timestamptz
)
