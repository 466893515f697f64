-- Gives the lease on a question to a holder unless another one has it; returns a row if it was given.
-- While it is held, this reads and locks nothing.
INSERT INTO cachemgr_answerlease (scope_fingerprint, question_key, holder, until)
SELECT %(scope_fingerprint)s, %(question_key)s, %(holder)s, %(until)s
WHERE NOT EXISTS (
    SELECT 1
    FROM cachemgr_answerlease AS held
    WHERE held.scope_fingerprint = %(scope_fingerprint)s
    AND held.question_key = %(question_key)s
    AND held.until > %(now)s
)
ON CONFLICT (scope_fingerprint, question_key) DO UPDATE
SET holder = excluded.holder, until = excluded.until
WHERE cachemgr_answerlease.until <= %(now)s
RETURNING holder
