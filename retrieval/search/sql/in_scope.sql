-- Returns a row for every chunk that the filters leave; only ever planned, for the estimate.
select
from knowledge_chunk as c
where {filters}
