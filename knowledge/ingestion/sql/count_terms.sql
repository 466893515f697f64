-- Replaces the document frequencies of one language by those of the vectors that the query
-- `sampled` reads, scaled up by the share of chunks it covers; rows that stay the same are kept.
WITH counted AS MATERIALIZED (
  SELECT word, greatest(1, round(ndoc / %(fraction)s))::integer AS document_frequency
  FROM ts_stat(%(sampled)s)
),
gone AS (
  DELETE FROM knowledge_termstatistic AS term
  WHERE term.language = %(language)s
    AND NOT EXISTS (SELECT 1 FROM counted WHERE counted.word = term.lexeme)
)
INSERT INTO knowledge_termstatistic AS term (language, lexeme, document_frequency)
SELECT %(language)s, word, document_frequency
FROM counted
ON CONFLICT (lexeme, language) DO UPDATE
SET document_frequency = excluded.document_frequency
WHERE term.document_frequency <> excluded.document_frequency
