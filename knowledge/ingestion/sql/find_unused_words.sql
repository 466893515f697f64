-- Returns the words that no chunk holds in any language, as far as words were counted; stop words and
-- what is no word are in use. Each lexeme is looked up by itself.
SELECT word
FROM unnest(%(words)s::text[]) AS word
WHERE NOT EXISTS (
  SELECT
  FROM knowledge_corpusstatistic AS corpus
  CROSS JOIN LATERAL (
    SELECT to_tsvector(corpus.language::regconfig, word) AS lexemes
  ) AS parsed
  WHERE parsed.lexemes = ''::tsvector
  OR EXISTS (
    SELECT
    FROM unnest(parsed.lexemes) AS lexeme
    JOIN knowledge_termstatistic AS term
      ON term.lexeme = lexeme.lexeme AND term.language = corpus.language
  )
)
