-- Adds one to the count of an outcome on a day.
INSERT INTO cachemgr_cachestatistic (day, outcome, count, tokens_saved)
VALUES (%(day)s, %(outcome)s, 1, %(tokens_saved)s)
ON CONFLICT (day, outcome) DO UPDATE
SET count = cachemgr_cachestatistic.count + 1,
    tokens_saved = cachemgr_cachestatistic.tokens_saved + excluded.tokens_saved
