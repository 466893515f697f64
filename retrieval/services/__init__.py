"""Every write of the retrieval app, and reading the profile in force."""

from retrieval.services.golden import (
    AskedQuestion,
    find_question,
    grade_document,
    grades_of,
    remove_judgement,
    save_judgement,
    save_question,
    set_grade,
    withdraw_grade,
)
from retrieval.services.profiles import (
    as_profile,
    get_profile,
    profile_values,
    publish,
    save_profile,
)
from retrieval.services.searches import log_search, purge_searches

__all__ = [
    "AskedQuestion",
    "as_profile",
    "find_question",
    "get_profile",
    "grade_document",
    "grades_of",
    "log_search",
    "profile_values",
    "publish",
    "purge_searches",
    "remove_judgement",
    "save_judgement",
    "save_profile",
    "save_question",
    "set_grade",
    "withdraw_grade",
]
