"""Posts JSON to a server that may be slow, busy, broken or away; tells which, and never the key."""

import contextlib
import json
import os
import random
import re
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from knowledge.exceptions import EmbeddingError

CONNECT_SECONDS = 5.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
LONGEST_ASKED_PAUSE_SECONDS = 120.0
MAX_RESPONSE_BYTES = 256 * 1024 * 1024
SHOWN_CHARACTERS = 200
WORTH_ANOTHER_TRY = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
TOO_LARGE = frozenset({413, 422})
REMEDIES = {
    401: "Check EMBEDDING_API_KEY.",
    403: "Check EMBEDDING_API_KEY and what it is allowed to use.",
    404: "Check EMBEDDING_BASE_URL and EMBEDDING_MODEL.",
}
_SECRET = re.compile(r"\b(?:sk|pa)-[\w*-]{4,}")


class TooLargeError(EmbeddingError):
    """The server takes fewer or shorter texts at once."""


class _RetryError(Exception):
    """Worth another try; `pause_seconds` is what the server asked for."""

    def __init__(self, fault: EmbeddingError, pause_seconds: float | None = None) -> None:
        super().__init__(str(fault))
        self.fault = fault
        self.pause_seconds = pause_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long one request may take, and how often it is made."""

    seconds: float
    attempts: int


class Transport:
    """Talks with one server. Redirects are not followed: they would take the key elsewhere."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._base_url = checked_url(base_url)
        self._api_key = api_key
        self._sleep = sleep
        self._jitter = jitter
        self._clients: dict[int, httpx.Client] = {}

    def post(self, path: str, body: Mapping[str, Any], *, patience: Patience) -> Any:
        """Return the JSON that the server answers.

        Raises EmbeddingError once the attempts are used up, or at once where another would not
        help; TooLargeError where fewer texts would.
        """
        url = f"{self._base_url}{path}"
        for attempt in range(1, patience.attempts + 1):
            try:
                return self._post_once(url, body, seconds=patience.seconds)
            except _RetryError as retry:
                pause = self._pause(attempt, retry.pause_seconds)
                if attempt == patience.attempts or pause > LONGEST_ASKED_PAUSE_SECONDS:
                    raise retry.fault from retry.__cause__
                self._sleep(pause)
        message = "EMBEDDING_ATTEMPTS must be at least 1."
        raise EmbeddingError(message)

    def _pause(self, attempt: int, asked: float | None) -> float:
        """Return what to wait: twice as long each time, spread out; never less than was asked."""
        longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** (attempt - 1))
        spread = longest * (0.5 + self._jitter() / 2)
        return spread if asked is None else asked + spread / 2

    def _post_once(self, url: str, body: Mapping[str, Any], *, seconds: float) -> Any:
        timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        reading = _Reading(ends_at=time.monotonic() + seconds, seconds=seconds)
        try:
            with self._client().stream("POST", url, json=body, timeout=timeout) as response:
                content = reading.read(response)
        except httpx.TimeoutException as error:
            raise _RetryError(_late(self._base_url, seconds)) from error
        except httpx.HTTPError as error:
            message = f"{self._base_url} cannot be reached: {self._shown(str(error))}"
            raise _RetryError(EmbeddingError(message)) from error
        self._check_status(response, content)
        try:
            return json.loads(content)
        except ValueError as error:
            message = (
                f"{self._base_url} answered something that is no JSON:"
                f" {self._shown(content.decode(errors='replace'))!r}."
                " Check that EMBEDDING_BASE_URL is the address of the API."
            )
            raise _RetryError(EmbeddingError(message)) from error

    def _check_status(self, response: httpx.Response, content: bytes) -> None:
        status = response.status_code
        if status == httpx.codes.OK:
            return
        told = self._shown(content.decode(errors="replace"))
        remedy = REMEDIES.get(status, "")
        message = f"{self._base_url} answers {status}: {told} {remedy}".strip()
        if status in TOO_LARGE:
            raise TooLargeError(message)
        if status in WORTH_ANOTHER_TRY:
            raise _RetryError(EmbeddingError(message), retry_after(response.headers))
        raise EmbeddingError(message)

    def _shown(self, text: str) -> str:
        """Return the beginning of a text of the server, without any key."""
        plain = text.replace(self._api_key, "[key]") if self._api_key else text
        return " ".join(_SECRET.sub("[key]", plain).split())[:SHOWN_CHARACTERS]

    def _client(self) -> httpx.Client:
        """Return the client of this process: connections do not survive a fork."""
        process = os.getpid()
        client = self._clients.get(process)
        if client is None:
            headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
            client = httpx.Client(headers=headers, follow_redirects=False)
            self._clients = {process: client}
            weakref.finalize(self, client.close)
        return client


@dataclass(slots=True, kw_only=True)
class _Reading:
    """Reads a body that has to end in time and within bounds."""

    ends_at: float
    seconds: float
    parts: list[bytes] = field(default_factory=list)

    def read(self, response: httpx.Response) -> bytes:
        size = 0
        for part in response.iter_bytes():
            self.parts.append(part)
            size += len(part)
            if size > MAX_RESPONSE_BYTES:
                message = f"{response.url.host} answers without end"
                raise EmbeddingError(message)
            if time.monotonic() > self.ends_at:
                raise _RetryError(_late(response.url.host, self.seconds))
        return b"".join(self.parts)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, None where it does not say."""
    value = headers.get("Retry-After", "").strip()
    if not value:
        return None
    with contextlib.suppress(ValueError):
        return max(0.0, float(value))
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _late(server: str, seconds: float) -> EmbeddingError:
    return EmbeddingError(f"{server} did not answer within {seconds:g} s")


def checked_url(base_url: str) -> str:
    """Return the address without a slash at its end. Raises EmbeddingError for one that is none."""
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        message = f"EMBEDDING_BASE_URL is no address: {error}"
        raise EmbeddingError(message) from error
    if url.scheme not in {"http", "https"} or not url.host:
        message = f"EMBEDDING_BASE_URL is {base_url!r}; it must begin with http:// or https://."
        raise EmbeddingError(message)
    if url.userinfo or url.query:
        message = "EMBEDDING_BASE_URL holds a password or a query; give a key by EMBEDDING_API_KEY."
        raise EmbeddingError(message)
    return base_url.rstrip("/")
