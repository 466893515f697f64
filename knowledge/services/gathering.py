"""Finds and reads what a run takes in, and keeps account of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self

from django.utils import timezone

from knowledge.conf import KnowledgeSettings, knowledge_settings
from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.exceptions import ListingError
from knowledge.fetching.addresses import read_policy
from knowledge.fetching.client import Fetcher
from knowledge.fetching.types import FetchSettings
from knowledge.fetching.waiting import RetryPolicy
from knowledge.ingestion.connectors import (
    Count,
    FoundFile,
    Item,
    ListingMark,
    PageFinder,
    PageMark,
    PageReader,
    Remark,
    is_mailbox,
    read_item,
)
from knowledge.ingestion.types import Incoming, ParsedDocument
from knowledge.models import Source
from knowledge.services.page_memory import SourceMemory
from knowledge.services.types import Outcome, StoreOutcome
from knowledge.services.web_pace import SharedPace, forget_hosts

SHOWN_GAPS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What indexing needs beside the documents."""

    embedder: Embedder
    tokenizer: Tokenizer
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestPlan:
    """What to take in, and what counts for each document that does not say it itself.

    A plan that covers its source reads all that there is of it: what it does not find is gone.
    Of the documents found `only` those named are taken, if any are.
    """

    files: tuple[FoundFile, ...] = ()
    addresses: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    source_type: str = ""
    entities: tuple[str, ...] = ()
    access_tags: tuple[str, ...] = ()
    published_at: datetime | None = None
    valid_until: datetime | None = None
    covers_source: bool = False
    confirms_removal: bool = False
    only: frozenset[str] = frozenset()

    def includes(self, document: Incoming) -> bool:
        """Tell whether a document is wanted, by its name or by that of its message.

        Every one is unless some are named.
        """
        parent = document.parent if isinstance(document, ParsedDocument) else ""
        return not self.only or not self.only.isdisjoint({document.external_id, parent})

    @property
    def is_mailbox(self) -> bool:
        """Whether messages are read, one document each."""
        return any(file.is_message or is_mailbox(file.path) for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How many documents were looked at, of how many as far as is known."""

    seen: int
    expected: int
    current: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReport:
    """What became of one document, and the file or address it came from."""

    path: str
    outcome: StoreOutcome

    @property
    def counted_as(self) -> Outcome:
        return Outcome.FAILED if self.outcome.needs_attention else self.outcome.outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """What became of every document of a run; `notes` concern files as a whole.

    `to_remove` documents are gone from the source and wait for a yes. `failure` says why the run
    could not tell what the source holds.
    """

    source: str
    run_id: int | None
    documents: tuple[DocumentReport, ...]
    notes: tuple[str, ...]
    seconds: float
    removed: int = 0
    to_remove: int = 0
    failure: str = ""
    is_feed: bool = False

    def count(self, outcome: Outcome) -> int:
        """Return how many documents ended so; one that needs attention counts as failed."""
        return sum(report.counted_as is outcome for report in self.documents)

    @property
    def failed(self) -> tuple[DocumentReport, ...]:
        return tuple(each for each in self.documents if each.counted_as is Outcome.FAILED)


def fetch_settings(settings: KnowledgeSettings | None = None) -> FetchSettings:
    """Return who fetches and within which bounds."""
    chosen = settings or knowledge_settings()
    return FetchSettings(
        user_agent=chosen.fetch_user_agent,
        policy=read_policy(chosen.fetch_allowed_hosts),
        max_bytes=chosen.fetch_max_bytes,
        step_seconds=chosen.fetch_step_seconds,
        total_seconds=chosen.fetch_total_seconds,
        interval_seconds=chosen.fetch_interval_seconds,
        respects_robots=chosen.fetch_respects_robots,
        retry=RetryPolicy(
            attempts=chosen.fetch_attempts,
            longest_wait_seconds=chosen.fetch_longest_wait_seconds,
        ),
    )


class Gatherer:
    """Reads files and pages as they are asked for, and remembers which document came from which."""

    def __init__(
        self, source: Source, plan: IngestPlan, on_progress: Callable[[Progress], None]
    ) -> None:
        self._source = source
        self._plan = plan
        self._on_progress = on_progress
        self._expected = len(plan.files)
        self._label_by_id: dict[str, str] = {}
        self._reports: list[DocumentReport] = []
        self._fetcher = Fetcher(fetch_settings(), pace=SharedPace())
        self._memory = SourceMemory(source.pk)
        self._pages = PageReader(self._fetcher, self._memory)
        self.listings: list[ListingMark] = []
        self.notes: list[str] = []
        self.gaps: list[str] = []
        self.has_doubts = False
        self.is_exhaustive = True
        self._is_one_file = len(plan.files) == 1 and not plan.addresses

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._pages.close()
        self._fetcher.close()
        if self._plan.addresses:
            forget_hosts(now=timezone.now())

    @property
    def found(self) -> Mapping[str, str]:
        """What was found: external ids, and where."""
        return self._label_by_id

    @property
    def expected(self) -> int:
        """How many documents there are, as far as is known by now."""
        return self._expected

    def mark_of(self, external_id: str) -> PageMark | None:
        """Return the version of the page that a document was made of, once."""
        return self._pages.marks.pop(external_id, None)

    def documents(self, on_wait: Callable[[], None] = lambda: None) -> Iterator[Incoming]:
        """Yield the documents of each file and page in order; an id that repeats is left out.

        `on_wait` is called now and then while nothing can be yielded yet. Raises ListingError.
        """
        for item in self._items(on_wait):
            told = 1
            seen = 0
            for each in read_item(item, mapping=self._plan.mapping, pages=self._pages):
                if isinstance(each, Count):
                    told = each.documents
                    self._expected += told - 1
                    continue
                if isinstance(each, Remark):
                    self._take_remark(each)
                    continue
                seen += 1
                self._expected += seen > told
                if self._is_repeated(each, item):
                    continue
                if self._plan.includes(each):
                    yield self._completed(each)
                else:
                    self._expected -= 1
            self._expected -= max(0, told - seen)

    def check_completeness(self) -> None:
        """Raise ListingError if there may be documents that were not seen."""
        if self.gaps:
            shown = " ".join(self.gaps[:SHOWN_GAPS])
            more = len(self.gaps) - SHOWN_GAPS
            rest = f" And {more} more." if more > 0 else ""
            message = (
                f"It could not be told what the source holds. {shown}{rest} What was found is"
                " stored; nothing was taken out."
            )
            raise ListingError(message)

    def report(self, outcome: StoreOutcome) -> None:
        """Take note of what became of a document."""
        label = self._label_by_id.get(outcome.external_id, "")
        self._reports.append(DocumentReport(path=label, outcome=outcome))
        progress = Progress(seen=len(self._reports), expected=self._expected, current=label)
        self._on_progress(progress)

    def summary(self, *, run_id: int | None, seconds: float) -> RunSummary:
        """Return everything noted."""
        return RunSummary(
            source=self._source.name,
            run_id=run_id,
            documents=tuple(self._reports),
            notes=tuple(self.notes),
            seconds=seconds,
            is_feed=not self.is_exhaustive,
        )

    def _items(self, on_wait: Callable[[], None]) -> Iterator[Item]:
        yield from self._plan.files
        for address in self._plan.addresses:
            finder = PageFinder(
                self._fetcher,
                self._memory,
                max_pages=knowledge_settings().fetch_max_pages,
                on_fetch=on_wait,
            )
            listing = finder.find(address)
            self.listings.extend(listing.marks)
            self.notes.extend(listing.notes)
            self.gaps.extend(listing.gaps)
            self.is_exhaustive = self.is_exhaustive and listing.is_exhaustive
            self._expected += len(listing.pages)
            yield from listing.pages.values()

    def _take_remark(self, remark: Remark) -> None:
        self.notes.append(remark.message)
        if remark.is_gap or (remark.is_doubt and self._is_one_file):
            self.gaps.append(remark.message)
        self.has_doubts = self.has_doubts or remark.is_doubt

    def _is_repeated(self, document: Incoming, item: Item) -> bool:
        first = self._label_by_id.setdefault(document.external_id, item.label)
        if first == item.label:
            return False
        self._expected -= 1
        self.notes.append(
            f"{item.external_id}: {document.external_id!r} was left out, as {first} has a"
            " document of this id too."
        )
        return True

    def _completed(self, document: Incoming) -> Incoming:
        """Add what was said for all; what the document says already is left to it."""
        if not isinstance(document, ParsedDocument):
            return document
        plan = self._plan
        source_type = document.source_type or plan.source_type
        tags = document.access_tags or plan.access_tags
        return replace(
            document,
            source_type="" if source_type == self._source.source_type.slug else source_type,
            access_tags=() if sorted(tags) == sorted(self._source.access_tags) else tags,
            entities=(*document.entities, *plan.entities),
            published_at=document.published_at or plan.published_at,
            valid_until=document.valid_until or plan.valid_until,
        )
