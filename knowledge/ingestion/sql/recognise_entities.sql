-- Returns (written, entity_id) for names and domains as written: by whole name or alias and by
-- domain, in either case; a name that fits none so, by its key: without punctuation and accents.
-- What fits several entities returns each; external ids are no names.
WITH given AS MATERIALIZED (
  SELECT DISTINCT name, upper(name) AS folded, (knowledge_entity_keys(name, '{}'))[1] AS key
  FROM unnest(%(names)s::text[]) AS name
),
given_domain AS MATERIALIZED (
  SELECT DISTINCT name, upper(name) AS folded FROM unnest(%(domains)s::text[]) AS name
),
matched AS (
  SELECT given.name, entity.id, 1 AS level
  FROM given
  JOIN knowledge_entity AS entity ON upper(entity.name) = given.folded
  UNION ALL
  SELECT given.name, entity.id, 1
  FROM knowledge_entity AS entity
  CROSS JOIN LATERAL unnest(knowledge_entity_aliases(entity.aliases)) AS alias
  JOIN given ON given.folded = alias
  WHERE knowledge_entity_aliases(entity.aliases) && (SELECT array_agg(folded) FROM given)
  UNION ALL
  SELECT given.name, entity.id, 2
  FROM knowledge_entity AS entity
  CROSS JOIN LATERAL unnest(knowledge_entity_keys(entity.name, entity.aliases)) AS known(key)
  JOIN given ON given.key = known.key
  WHERE given.key <> ''
    AND knowledge_entity_keys(entity.name, entity.aliases) && (SELECT array_agg(key) FROM given)
),
ranked AS (
  SELECT name, id, rank() OVER (PARTITION BY name ORDER BY level) AS place FROM matched
)
SELECT name, id FROM ranked WHERE place = 1
UNION
SELECT given_domain.name, entity.id
FROM knowledge_entity AS entity
CROSS JOIN LATERAL unnest(knowledge_entity_aliases(entity.domains)) AS domain
JOIN given_domain ON given_domain.folded = domain
WHERE knowledge_entity_aliases(entity.domains) && (SELECT array_agg(folded) FROM given_domain)
ORDER BY 1, 2
