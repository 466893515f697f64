-- Condition that a chunk `c` is among what the scope `{scope}` (JSON) looks at: as in retrieval's
-- filters.sql, with the filters that were kept.
c.is_active
and {scope} -> 'access_tags' ?| c.access_tags::text[]
and (
    coalesce(jsonb_array_length({scope} -> 'entity_ids'), 0) = 0
    or {scope} -> 'entity_ids' ?| c.entity_ids::text[]
)
and (
    coalesce(jsonb_array_length({scope} -> 'source_ids'), 0) = 0
    or {scope} -> 'source_ids' @> to_jsonb(c.source_id)
)
and (
    coalesce(jsonb_array_length({scope} -> 'source_type_ids'), 0) = 0
    or {scope} -> 'source_type_ids' @> to_jsonb(c.source_type_id)
)
and ({scope} ->> 'since' is null or c.published_at >= ({scope} ->> 'since')::timestamptz)
and ({scope} ->> 'until' is null or c.published_at < ({scope} ->> 'until')::timestamptz)
and (
    {scope} ->> 'known_by' is null
    or c.published_at is null
    or c.published_at <= ({scope} ->> 'known_by')::timestamptz
)
