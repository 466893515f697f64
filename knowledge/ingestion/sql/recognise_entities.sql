-- Returns (written, entity_id) for names and domains as written: by whole name or alias and by
-- domain, in either case. What fits several entities returns each; external ids are no names.
WITH given AS MATERIALIZED (
  SELECT DISTINCT name, upper(name) AS folded FROM unnest(%(names)s::text[]) AS name
),
given_domain AS MATERIALIZED (
  SELECT DISTINCT name, upper(name) AS folded FROM unnest(%(domains)s::text[]) AS name
)
SELECT given.name, entity.id
FROM given
JOIN knowledge_entity AS entity ON upper(entity.name) = given.folded
UNION
SELECT given.name, entity.id
FROM knowledge_entity AS entity
CROSS JOIN LATERAL unnest(knowledge_entity_aliases(entity.aliases)) AS alias
JOIN given ON given.folded = alias
WHERE knowledge_entity_aliases(entity.aliases) && (SELECT array_agg(folded) FROM given)
UNION
SELECT given_domain.name, entity.id
FROM knowledge_entity AS entity
CROSS JOIN LATERAL unnest(knowledge_entity_aliases(entity.domains)) AS domain
JOIN given_domain ON given_domain.folded = domain
WHERE knowledge_entity_aliases(entity.domains) && (SELECT array_agg(folded) FROM given_domain)
ORDER BY 1, 2
