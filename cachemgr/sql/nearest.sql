-- Returns (id, question, similarity), nearest first: the live answers of one scope whose questions are
-- nearest to a vector, by the vector index or by comparing all. The space and its width are literals, or
-- its partial index would not apply; the index is in half precision, the similarity in full.
select nearest.id, nearest.question, 1 - (nearest.vector <=> %(vector)s::vector) as similarity
from (
    select r.id, r.question, r.vector
    from cachemgr_cachedresponse as r
    where r.space_id = {space_id}
    and r.scope_fingerprint = %(scope_fingerprint)s
    and r.invalidated_at is null
    and r.expires_at > %(now)s
    and r.vector is not null
    order by {distance}
    limit %(count)s
) as nearest
order by similarity desc, nearest.id
