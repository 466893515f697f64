-- Stores an answer for each row of `synthetic_question` (number, question, question_key,
-- scope_fingerprint, scope, vector), to be measured.
insert into cachemgr_cachedresponse (
    id, question, question_key, scope_fingerprint, scope, space_id, vector, answer, model_name,
    answer_tokens, evidence_tokens, evidence_similarity, hit_count, created_at, expires_at,
    invalidation_reason
)
select
    gen_random_uuid(), q.question, q.question_key, q.scope_fingerprint, q.scope, %(space_id)s, q.vector,
    'So it is [1].', '', 5, 500, 0.5, 0, %(now)s, %(now)s + interval '7 days', ''
from synthetic_question as q
order by q.number
