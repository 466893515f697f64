"""Stores documents of many sources that a program pushes together: one bad never stops the rest."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crmind.exceptions import CRMindError
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Source
from knowledge.services.gathering import Tools
from knowledge.services.streams import BATCH_CHARACTERS, BATCH_DOCUMENTS, store_documents
from knowledge.services.types import Outcome, StoreOutcome

logger = logging.getLogger(__name__)

REFUSED = "refused"
UNEXPECTED = CRMindError("It could not be stored: a fault of the installation, see its log.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PushedDocument:
    """A document to store, and the number of its line."""

    index: int
    source: Source
    parsed: ParsedDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedLine:
    """A line that is no document that may be stored."""

    index: int
    external_id: str
    error: CRMindError


@dataclass(frozen=True, slots=True, kw_only=True)
class PushResult:
    """What became of one line. `status` is that of the document, or `refused`."""

    index: int
    external_id: str
    outcome: str
    status: str
    document_id: int | None = None
    code: str = ""
    message: str = ""
    warnings: tuple[str, ...] = ()


Line = PushedDocument | RefusedLine


def store_pushed(lines: Iterable[Line], *, tools: Tools) -> Iterator[PushResult]:
    """Store what the lines hold, some at a time, and yield what became of each, in order."""
    batch: list[Line] = []
    characters = 0
    for line in lines:
        batch.append(line)
        characters += len(line.parsed.text) if isinstance(line, PushedDocument) else 0
        if len(batch) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield from _store_batch(batch, tools)
            batch, characters = [], 0
    yield from _store_batch(batch, tools)


def _store_batch(batch: Sequence[Line], tools: Tools) -> list[PushResult]:
    results = {line.index: _refused(line) for line in batch if isinstance(line, RefusedLine)}
    by_source: dict[int, list[PushedDocument]] = {}
    for line in batch:
        if isinstance(line, PushedDocument):
            by_source.setdefault(line.source.pk, []).append(line)
    for pushed in by_source.values():
        results |= {result.index: result for result in _store_of_source(pushed, tools)}
    return [results[line.index] for line in batch]


def _store_of_source(pushed: Sequence[PushedDocument], tools: Tools) -> Iterator[PushResult]:
    outcomes = store_documents(
        source=pushed[0].source,
        parsed=[each.parsed for each in pushed],
        embedder=tools.embedder,
        tokenizer=tools.tokenizer,
        now=tools.now,
    )
    waiting = iter(pushed)
    error: CRMindError | None = None
    try:
        for outcome in outcomes:
            yield _result(next(waiting), outcome)
    except CRMindError as caught:
        error = caught
    except Exception:
        logger.exception("pushed documents of source %s were not stored", pushed[0].source.pk)
        error = UNEXPECTED
    for line in waiting:
        yield _failed(line, error or UNEXPECTED)


def _result(line: PushedDocument, outcome: StoreOutcome) -> PushResult:
    return PushResult(
        index=line.index,
        external_id=outcome.external_id,
        outcome=outcome.outcome.value,
        status=str(outcome.status),
        document_id=outcome.document_id,
        code=outcome.code,
        message=outcome.reason,
        warnings=outcome.warnings,
    )


def _failed(line: PushedDocument, error: CRMindError) -> PushResult:
    return PushResult(
        index=line.index,
        external_id=line.parsed.external_id,
        outcome=Outcome.FAILED.value,
        status=Outcome.FAILED.value,
        code=error.code,
        message=error.message,
    )


def _refused(line: RefusedLine) -> PushResult:
    return PushResult(
        index=line.index,
        external_id=line.external_id,
        outcome=Outcome.FAILED.value,
        status=REFUSED,
        code=line.error.code,
        message=line.error.message,
    )
