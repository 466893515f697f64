-- Waits for the one lock of a document, which need not exist yet; held to the end of the transaction.
SELECT pg_advisory_xact_lock(%(key)s)
