"""Values that pass between the stages of a search."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from retrieval.understanding import Understanding


class Arm(StrEnum):
    """A retriever."""

    KEYWORD = "keyword"
    VECTOR = "vector"


class Verdict(StrEnum):
    """Whether the evidence suffices to answer."""

    ANSWERABLE = "answerable"
    WEAK = "weak"
    CONFLICTING = "conflicting"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a search is limited to; an empty tuple or None does not limit.

    `access_tags` are the reader's and always apply. `until` is exclusive. A document without a date
    is outside every date range. `known_by` is the instant at which the question looks at the
    corpus: documents dated later do not exist for it, those without a date do.
    """

    access_tags: frozenset[str]
    entity_ids: tuple[UUID, ...] = ()
    source_ids: tuple[int, ...] = ()
    source_type_ids: tuple[int, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    known_by: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question, ready to be searched; ages count from `as_of`."""

    question: str
    filters: Filters
    as_of: datetime
    top_k: int = 10
    understanding: Understanding = field(default_factory=Understanding)

    @property
    def topic(self) -> str:
        """What is looked up: the question, less what was understood otherwise."""
        return self.understanding.topic or self.question

    @property
    def spelt_topic(self) -> str:
        """The topic as it is embedded: with the names that are meant in place of slips."""
        return self.understanding.spelt_topic or self.topic


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk as one arm found it; `rank` counts from 1, `score` is higher for better.

    `rank` is None for a chunk beyond the depth of the arm, scored because another arm found it.

    The score of the vector arm is the cosine similarity, -1..1; that of the keyword arm is the sum
    of idf x ts_rank over the terms of the question, unbounded.
    """

    chunk_id: int
    rank: int | None
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResult:
    """What one arm found, best first, then what it only scored.

    `is_exact` tells that every chunk that could match was compared, not only those an index or the
    rarest words led to. `is_complete` is False when a bound cut the scan short.
    """

    arm: Arm
    candidates: tuple[Candidate, ...]
    is_exact: bool = True
    is_complete: bool = True
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedCandidate:
    """A chunk after fusion; `relevance` is 0..1, that of the reranker where it judged."""

    chunk_id: int
    relevance: float
    vector: Candidate | None = None
    keyword: Candidate | None = None
    rerank_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A chunk with what ranking, verdict and context need to know of it.

    `coverage` is the share, 0..1, of the question's words that the chunk holds, rare words weighing
    more; `coverage_beside_names` is the same without the names of the entities that the question
    is about, None where it has no other words. `successor_ids` are the documents that replace this
    one, those that replace them included.
    """

    chunk_id: int
    content_hash: str
    document_id: int
    position: int
    text: str
    prefix: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    token_count: int
    title: str
    url: str
    external_id: str
    source_id: int
    source_name: str
    source_type: str
    source_type_label: str
    published_at: datetime | None
    fetched_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    is_superseded: bool
    trust: float
    authority: float
    half_life_days: float
    coverage: float = 0.0
    coverage_beside_names: float | None = None
    successor_ids: tuple[int, ...] = ()
    access_tags: tuple[str, ...] = ()
    entity_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Every number behind a score: recomputing from it gives the score.

    An arm's score without a rank is that of a chunk beyond its depth. `age_days` is None for an
    undated document. `weights` are the profile's, with its `bound` when
    the blend is bounded. `boosts` name each amount added; `cap` names the cap that moved the hit
    down, if one did. `successor_id` and `superseded_by` are the document that replaces this one
    and its title, where it was found too. `rerank_score` is what a reranker gave the passage.
    """

    keyword_rank: int | None
    keyword_score: float | None
    vector_rank: int | None
    vector_score: float | None
    relevance: float
    freshness: float
    age_days: float | None
    half_life_days: float
    trust: float
    authority: float
    blend: str
    weights: Mapping[str, float]
    boosts: Mapping[str, float] = field(default_factory=dict)
    cap: str = ""
    successor_id: int | None = None
    superseded_by: str = ""
    rerank_score: float | None = None
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """A passage of another document that says the same as a hit, and ranks below it."""

    chunk_id: int
    document_id: int
    title: str
    source_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A ranked result; `rank` counts from 1. It stands for its `duplicates` too, best first."""

    rank: int
    score: float
    evidence: Evidence
    receipt: Receipt
    duplicates: tuple[Duplicate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """The verdict with its reasons in words and the figures it was drawn from.

    `confidence`, 0..1, is that of the best passage: both arms on the same one.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    best_similarity: float
    best_coverage: float
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A numbered piece of evidence in the context; only the server makes these.

    `start` and `end` are characters in the text of the document. `chunk_ids` are the merged chunks.
    """

    number: int
    chunk_ids: tuple[int, ...]
    document_id: int
    title: str
    url: str
    source_name: str
    source_type: str
    published_at: datetime | None
    trust: float
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Evidence laid out for a language model, within a budget of tokens.

    `tokenizer` is the name of what counted them.
    """

    text: str
    token_count: int
    tokenizer: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The answer to a query. `is_degraded` tells that the vector arm did not answer.

    `exact` tells of each arm that was asked whether it compared every chunk that could match.
    """

    query: Query
    profile: str
    hits: tuple[Hit, ...]
    judgment: Judgment
    interpretation: Mapping[str, object] = field(default_factory=dict)
    exact: Mapping[str, bool] = field(default_factory=dict)
    is_complete: bool = True
    is_degraded: bool = False
    warnings: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
