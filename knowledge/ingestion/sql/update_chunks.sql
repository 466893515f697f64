-- Gives chunks whose passage stayed the same their new place and terms; rows that would not change
-- are left alone. Their filter columns follow in refresh_filters.sql.
UPDATE knowledge_chunk AS chunk
SET
  position = passage.position,
  text = passage.text,
  prefix = passage.prefix,
  heading_path = passage.heading_path,
  start = passage.start,
  "end" = passage."end",
  token_count = passage.token_count,
  extra_terms = passage.extra_terms,
  language = document.language,
  search_vector = passage.search_vector
FROM knowledge_document AS document
CROSS JOIN LATERAL (
  SELECT
    given.*,
    to_tsvector(document.language::regconfig, given.search_text)
      || to_tsvector('simple', given.extra_terms) AS search_vector
  FROM jsonb_to_recordset(%(passages)s::jsonb) AS given (
    id bigint,
    position integer,
    text text,
    prefix text,
    heading_path text[],
    start integer,
    "end" integer,
    token_count integer,
    extra_terms text,
    search_text text
  )
) AS passage
WHERE document.id = %(document_id)s
  AND chunk.id = passage.id
  AND (
    chunk.position, chunk.text, chunk.prefix, chunk.heading_path, chunk.start, chunk."end",
    chunk.token_count, chunk.extra_terms, chunk.language, chunk.search_vector
  ) IS DISTINCT FROM (
    passage.position, passage.text, passage.prefix, passage.heading_path, passage.start,
    passage."end", passage.token_count, passage.extra_terms, document.language,
    passage.search_vector
  )
