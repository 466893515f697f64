-- Returns (name, entity_id) for names as written: by external id, else by name, else by alias,
-- whole and in either case. A name that fits several entities at its best level returns each.
WITH given AS MATERIALIZED (
  SELECT DISTINCT name, upper(name) AS folded FROM unnest(%(names)s::text[]) AS name
),
matched AS (
  SELECT given.name, entity.id, 1 AS level
  FROM given
  JOIN knowledge_entity AS entity ON upper(entity.external_id) = given.folded
  WHERE entity.external_id <> ''
  UNION ALL
  SELECT given.name, entity.id, 2
  FROM given
  JOIN knowledge_entity AS entity ON upper(entity.name) = given.folded
  UNION ALL
  SELECT given.name, entity.id, 3
  FROM knowledge_entity AS entity
  CROSS JOIN LATERAL unnest(knowledge_entity_aliases(entity.aliases)) AS alias
  JOIN given ON given.folded = alias
  WHERE knowledge_entity_aliases(entity.aliases) && (SELECT array_agg(folded) FROM given)
),
ranked AS (
  SELECT name, id, rank() OVER (PARTITION BY name ORDER BY level) AS place FROM matched
)
SELECT DISTINCT name, id FROM ranked WHERE place = 1 ORDER BY name, id
