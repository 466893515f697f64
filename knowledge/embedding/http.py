"""Embeddings by a server: any with the API of OpenAI (also Ollama, vLLM, TEI), and Voyage."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from crmind.exceptions import CRMindError
from knowledge.embedding.base import EmbeddingSpec, Vector
from knowledge.embedding.breaker import CircuitBreaker
from knowledge.embedding.transport import Patience, TooLargeError, Transport
from knowledge.embedding.vectors import check_vectors
from knowledge.exceptions import EmbeddingError, InvalidVectorError

MAX_BATCH_CHARACTERS = 200_000
MAX_DIMENSIONS = 4_000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_VERSION = re.compile(r"(?:-v\d+|-\d{3}|-\d{4}[-\d]*)?")


class Use(StrEnum):
    """What a text is embedded as."""

    QUERY = "query"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a kind of server is asked."""

    default_url: str
    parameters: Callable[[Use, int], Mapping[str, Any]]
    path: str = "/embeddings"


DIALECTS = {
    "openai": Dialect(
        default_url="https://api.openai.com/v1",
        parameters=lambda _use, dimensions: {
            "encoding_format": "float",
            **({"dimensions": dimensions} if dimensions else {}),
        },
    ),
    "voyage": Dialect(
        default_url="https://api.voyageai.com/v1",
        parameters=lambda use, dimensions: {
            "input_type": use.value,
            "truncation": True,
            **({"output_dimension": dimensions} if dimensions else {}),
        },
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is served and how patiently it is asked."""

    dialect: Dialect
    base_url: str
    api_key: str = field(repr=False)
    timeout_seconds: float
    query_timeout_seconds: float
    attempts: int
    batch_size: int


class HttpEmbedder:
    """Embeds by requests of many texts. A question is asked once; its server may rest from it."""

    def __init__(  # noqa: PLR0913 # the identity of the model and how it is asked
        self,
        endpoint: Endpoint,
        *,
        provider: str,
        model: str,
        dimensions: int = 0,
        asks_dimensions: bool = False,
        max_tokens: int,
        query_prefix: str = "",
        document_prefix: str = "",
        transport: Transport | None = None,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._provider = provider
        self._model = model
        self._dimensions = dimensions
        self._asked_dimensions = dimensions if asks_dimensions else 0
        self._max_tokens = max_tokens
        self._prefixes = {Use.QUERY: query_prefix, Use.DOCUMENT: document_prefix}
        self._given_transport = transport
        self._breaker = breaker or CircuitBreaker()

    @property
    def spec(self) -> EmbeddingSpec:
        return self._spec

    def load(self) -> None:
        """Do nothing: the model is elsewhere."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        patience = Patience(
            seconds=self._endpoint.timeout_seconds, attempts=self._endpoint.attempts
        )
        vectors: list[Vector] = []
        for batch in self._batches(texts):
            vectors += self._embed_splitting(batch, patience)
        return vectors

    def embed_query(self, text: str) -> Vector:
        self._breaker.check()
        patience = Patience(seconds=self._endpoint.query_timeout_seconds, attempts=1)
        try:
            (vector,) = self._embed([text], Use.QUERY, patience)
        except CRMindError as error:
            self._breaker.fail(str(error))
            raise
        self._breaker.succeed()
        return vector

    @cached_property
    def _transport(self) -> Transport:
        if self._given_transport is not None:
            return self._given_transport
        url = self._endpoint.base_url or self._endpoint.dialect.default_url
        return Transport(url, api_key=self._endpoint.api_key)

    @cached_property
    def _spec(self) -> EmbeddingSpec:
        return EmbeddingSpec(
            provider=self._provider,
            model=self._model,
            dimensions=self._dimensions or self._measure_dimensions(),
            max_tokens=self._max_tokens,
        )

    def _measure_dimensions(self) -> int:
        """Ask for one vector, to learn how many numbers the model gives."""
        patience = Patience(seconds=self._endpoint.timeout_seconds, attempts=1)
        (vector,) = self._ask(["How long is a vector?"], Use.DOCUMENT, patience)
        if not 1 <= len(vector) <= MAX_DIMENSIONS:
            message = f"{self._model} gives {len(vector)} numbers; 1 to {MAX_DIMENSIONS} are kept."
            raise InvalidVectorError(message)
        return len(vector)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Yield the texts in order, no more at once than may go into one request."""
        batch: list[str] = []
        characters = 0
        for text in texts:
            is_full = len(batch) >= self._endpoint.batch_size
            if batch and (is_full or characters + len(text) > MAX_BATCH_CHARACTERS):
                yield batch
                batch, characters = [], 0
            batch.append(text)
            characters += len(text)
        if batch:
            yield batch

    def _embed_splitting(self, texts: list[str], patience: Patience) -> list[Vector]:
        """Embed texts, in halves where the server takes fewer at once."""
        try:
            return self._embed(texts, Use.DOCUMENT, patience)
        except TooLargeError:
            if len(texts) == 1:
                raise
        half = len(texts) // 2
        first = self._embed_splitting(texts[:half], patience)
        return first + self._embed_splitting(texts[half:], patience)

    def _embed(self, texts: Sequence[str], use: Use, patience: Patience) -> list[Vector]:
        spec = self.spec
        return check_vectors(self._ask(texts, use, patience), spec, count=len(texts))

    def _ask(self, texts: Sequence[str], use: Use, patience: Patience) -> list[list[float]]:
        dialect = self._endpoint.dialect
        prefix = self._prefixes[use]
        body = {
            "model": self._model,
            "input": [_LONE_SURROGATE.sub("\ufffd", f"{prefix}{text}") for text in texts],
            **dialect.parameters(use, self._asked_dimensions),
        }
        answer = self._transport.post(dialect.path, body, patience=patience)
        self._check_model(answer)
        return in_order(answer, count=len(texts), model=self._model)

    def _check_model(self, answer: Any) -> None:
        told = answer.get("model", "") if isinstance(answer, dict) else ""
        if isinstance(told, str) and told and not is_same_model(self._model, told):
            message = (
                f"asked for the model {self._model!r}, the server answered as {told[:100]!r}."
                " Vectors of two models cannot be compared; give the model that is served."
            )
            raise EmbeddingError(message)


def in_order(answer: Any, *, count: int, model: str) -> list[list[float]]:
    """Return the vectors of an answer, each at its index. Raises InvalidVectorError."""
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        message = f"{model} answered without a list 'data'"
        raise InvalidVectorError(message)
    if len(rows) != count:
        message = f"{model} returned {len(rows)} vectors for {count} texts"
        raise InvalidVectorError(message)
    by_index = {_index(row, place): _numbers(row, model) for place, row in enumerate(rows)}
    if by_index.keys() != set(range(count)):
        message = f"{model} returned vectors with the wrong indices"
        raise InvalidVectorError(message)
    return [by_index[index] for index in range(count)]


def is_same_model(asked: str, told: str) -> bool:
    """Tell whether a server names the model asked for, perhaps by its path or with a version."""
    wanted, given = (name.casefold().rpartition("/")[2] for name in (asked, told))
    wanted, _, wanted_tag = wanted.partition(":")
    given, _, given_tag = given.partition(":")
    if wanted_tag and given_tag and wanted_tag != given_tag:
        return False
    return given.startswith(wanted) and bool(_VERSION.fullmatch(given[len(wanted) :]))


def _index(row: Any, place: int) -> Any:
    return row.get("index", place) if isinstance(row, dict) else place


def _numbers(row: Any, model: str) -> list[float]:
    numbers = row.get("embedding") if isinstance(row, dict) else None
    is_vector = isinstance(numbers, list) and all(
        isinstance(number, int | float) and not isinstance(number, bool) for number in numbers
    )
    if not isinstance(numbers, list) or not is_vector:
        message = f"{model} returned something that is no vector of numbers"
        raise InvalidVectorError(message)
    return numbers
