"""Every use of the response cache: ask, look up, store, forget, invalidate, purge."""

from cachemgr.services.counting import OutcomeCount, read_counts
from cachemgr.services.invalidation import (
    count_citing,
    forget,
    forget_citing,
    invalidate_citing,
    judge_response,
)
from cachemgr.services.lookup import build_answer, look_up, read_answer
from cachemgr.services.offers import offer
from cachemgr.services.purging import Purge, purge
from cachemgr.services.storage import store_answer

__all__ = [
    "OutcomeCount",
    "Purge",
    "build_answer",
    "count_citing",
    "forget",
    "forget_citing",
    "invalidate_citing",
    "judge_response",
    "look_up",
    "offer",
    "purge",
    "read_answer",
    "read_counts",
    "store_answer",
]
