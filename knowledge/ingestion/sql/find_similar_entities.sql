-- Returns (asked, name, entity_id), the most similar first: for each name asked, up to `most` names
-- and aliases of entities that share enough trigrams with it. Only entities with a name that holds
-- something like its `word` are compared, at most `most_entities` of them; how like, name_similarity
-- sets.
WITH near AS MATERIALIZED (
  SELECT word, known.name, entity.id
  FROM (SELECT DISTINCT word FROM unnest(%(words)s::text[]) AS word) AS given
  CROSS JOIN LATERAL (
    SELECT entity.id, entity.name, entity.aliases
    FROM knowledge_entity AS entity
    WHERE upper(given.word) <%% knowledge_entity_names(entity.name, entity.aliases)
    LIMIT %(most_entities)s
  ) AS entity
  CROSS JOIN LATERAL unnest(entity.name || entity.aliases) AS known(name)
),
compared AS (
  SELECT
    asked,
    near.name,
    near.id,
    row_number() OVER (
      PARTITION BY asked ORDER BY similarity(near.name, asked) DESC, near.name, near.id
    ) AS place
  FROM unnest(%(names)s::text[], %(words)s::text[]) AS given(asked, word)
  JOIN near ON near.word = given.word
  WHERE similarity(near.name, asked) >= %(least)s
)
SELECT asked, name, id FROM compared WHERE place <= %(most)s ORDER BY asked, place
