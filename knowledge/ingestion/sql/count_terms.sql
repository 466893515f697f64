-- Replaces the document frequencies of one language by those of the vectors that the query
-- `sampled` reads, scaled up by the share of chunks it covers; rows that stay the same are kept. How
-- many chunks repeat a word follows from how often it occurs in those that hold it, as if each
-- further occurrence came by the same chance.
WITH counted AS MATERIALIZED (
  SELECT
    word,
    greatest(1, round(ndoc / %(fraction)s))::integer AS document_frequency,
    ceil(ndoc * (1 - ndoc::float / nentry) / %(fraction)s)::integer AS repeated_frequency
  FROM ts_stat(%(sampled)s)
),
gone AS (
  DELETE FROM knowledge_termstatistic AS term
  WHERE term.language = %(language)s
    AND NOT EXISTS (SELECT 1 FROM counted WHERE counted.word = term.lexeme)
)
INSERT INTO knowledge_termstatistic AS term (
  language, lexeme, document_frequency, repeated_frequency
)
SELECT %(language)s, word, document_frequency, repeated_frequency
FROM counted
ON CONFLICT (lexeme, language) DO UPDATE
SET
  document_frequency = excluded.document_frequency,
  repeated_frequency = excluded.repeated_frequency
WHERE term.document_frequency <> excluded.document_frequency
  OR term.repeated_frequency <> excluded.repeated_frequency
