-- Returns how many chunks the filters leave, counted up to `most`.
select count(*)
from (
    select
    from knowledge_chunk as c
    where {filters}
    limit %(most)s
) as counted
