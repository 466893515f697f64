-- Sets, for this transaction, from which share of the trigrams of a word find_similar_entities finds
-- names that hold something like it.
SELECT set_config('pg_trgm.word_similarity_threshold', %(least)s::text, true)
