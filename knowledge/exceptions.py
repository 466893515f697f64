"""Errors of the knowledge app."""

from crmind.exceptions import (
    ConflictError,
    CRMindError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)


class EmbeddingError(UnavailableError):
    """The embedding model does not answer."""

    code = "embedding_unavailable"


class InvalidVectorError(CRMindError):
    """The embedding model returned a vector that cannot be compared (NaN, zero or wrong width)."""

    code = "invalid_vector"


class SpaceMismatchError(ConflictError):
    """Vectors of different embedding models must not meet in one comparison."""

    code = "embedding_space_mismatch"


class ReembeddingError(ConflictError):
    """The embedding model cannot be changed like this now."""

    code = "reembedding_refused"


class UnknownSourceError(NotFoundError):
    """There is no source of that name."""

    code = "unknown_source"


class UnknownSourceTypeError(InvalidInputError):
    """There is no source type of that slug."""

    code = "unknown_source_type"


class UnknownEntityError(InvalidInputError):
    """There is no entity of that name or id."""

    code = "unknown_entity"


class UnknownDocumentError(NotFoundError):
    """There is no such document."""

    code = "unknown_document"


class InvalidDocumentError(InvalidInputError):
    """The document is not acceptable."""

    code = "invalid_document"


class WorkerDiedError(InvalidDocumentError):
    """The worker died while reading it, three times."""

    code = "worker_died"


class MappingError(InvalidInputError):
    """The column mapping does not fit the file."""

    code = "invalid_mapping"


class ListingError(InvalidInputError):
    """It could not be told what the source holds, so nothing was taken out."""

    code = "listing_failed"


class SourceBusyError(ConflictError):
    """Another run of this source is under way."""

    code = "source_busy"


class NothingToConfirmError(ConflictError):
    """The run waits for no confirmation."""

    code = "nothing_to_confirm"


class TooMuchError(InvalidInputError):
    """More was sent than is taken at once."""

    code = "too_much"


class WebhookRefusedError(ForbiddenError):
    """The signature of the call does not fit."""

    code = "webhook_refused"


class WebhookReplayedError(ConflictError):
    """This call came before."""

    code = "webhook_replayed"


class ScheduleError(InvalidInputError):
    """The schedule cannot be read."""

    code = "invalid_schedule"


class ChunkingError(InvalidInputError):
    """The chunking settings contradict each other."""

    code = "invalid_chunking"


class AccessDeniedError(ForbiddenError):
    """The reader does not hold this access tag."""

    code = "access_tag_not_held"


class ConfirmationMissingError(InvalidInputError):
    """This loses data and wants a confirmation."""

    code = "confirmation_missing"
