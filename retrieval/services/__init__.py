"""Every write of the retrieval app, and reading the profile in force."""

from retrieval.services.evaluations import (
    EvaluationCancelledError,
    cancel_evaluation,
    create_evaluation,
    end_evaluation,
    finish_evaluation,
    note_progress,
    start_evaluation,
)
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
from retrieval.services.index_checks import save_index_check
from retrieval.services.profiles import (
    as_profile,
    get_profile,
    profile_values,
    save_profile,
)
from retrieval.services.searches import log_search, purge_searches

__all__ = [
    "AskedQuestion",
    "EvaluationCancelledError",
    "as_profile",
    "cancel_evaluation",
    "create_evaluation",
    "end_evaluation",
    "find_question",
    "finish_evaluation",
    "get_profile",
    "grade_document",
    "grades_of",
    "log_search",
    "note_progress",
    "profile_values",
    "purge_searches",
    "remove_judgement",
    "save_index_check",
    "save_judgement",
    "save_profile",
    "save_question",
    "set_grade",
    "start_evaluation",
    "withdraw_grade",
]
