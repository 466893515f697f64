-- Adds to the count of chunks that changed since the words of a language were last counted.
INSERT INTO knowledge_corpusstatistic AS corpus (
  language, chunk_count, sampled_fraction, changes_since, refreshed_at
)
VALUES (%(language)s, 0, 1, %(count)s, now())
ON CONFLICT (language) DO UPDATE
SET changes_since = corpus.changes_since + excluded.changes_since
