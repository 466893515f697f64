"""Errors of the retrieval app."""

from crmind.exceptions import ConflictError, InvalidInputError


class InvalidQuestionError(InvalidInputError):
    """The question is not acceptable."""

    code = "invalid_question"


class InvalidFilterError(InvalidInputError):
    """The filter is not acceptable."""

    code = "invalid_filter"


class UnknownProfileError(InvalidInputError):
    """There is no published ranking profile of that name."""

    code = "unknown_profile"


class InvalidProfileError(InvalidInputError):
    """The ranking profile contradicts itself."""

    code = "invalid_profile"


class DatasetError(InvalidInputError):
    """The evaluation set cannot be read."""

    code = "invalid_dataset"


class EmptyGoldenSetError(InvalidInputError):
    """No golden question is judged yet. Grade hits on "Try a question" first."""

    code = "empty_golden_set"


class QualityLossError(InvalidProfileError):
    """Answers to the golden set would get worse than is allowed."""

    code = "quality_loss"


class StaleProfileError(ConflictError):
    """Somebody else changed the ranking profile meanwhile."""

    code = "stale_profile"


class StillUnansweredError(ConflictError):
    """The question still finds too little evidence."""

    code = "still_unanswered"
