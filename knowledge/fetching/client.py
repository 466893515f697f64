"""Fetches addresses: guarded, bounded, patient and polite."""

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import Message
from types import TracebackType
from typing import Self
from urllib.parse import urljoin, urlsplit

import httpcore
import httpx

from knowledge.fetching.addresses import normalise_url
from knowledge.fetching.bodies import read_body
from knowledge.fetching.errors import FetchError, HostBusyError, PageGoneError, PageRefusedError
from knowledge.fetching.network import Deadline, GuardedBackend
from knowledge.fetching.pace import OwnPace, Pace
from knowledge.fetching.robots import MAX_ROBOTS_BYTES, RobotsRules
from knowledge.fetching.transport import GuardedTransport
from knowledge.fetching.types import Fetched, FetchSettings, Validators
from knowledge.fetching.waiting import RETRIED_STATUSES, back_off, read_retry_after

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
REDIRECTS = frozenset({301, 302, 303, 307, 308})
UNCHANGED = 304
GONE = frozenset({404, 410})
MAX_VALIDATOR_LENGTH = 500


class _TryAgainError(Exception):
    """The server may answer later; `seconds` is when it said to come back."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds


class Fetcher:
    """Fetches over one set of connections; used by one thread, closed at the end."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        pace: Pace | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._pace = pace or OwnPace()
        self._sleep = sleep
        self._deadline = Deadline()
        self._client = httpx.Client(
            transport=GuardedTransport(GuardedBackend(settings.policy, self._deadline)),
            timeout=settings.step_seconds,
            trust_env=False,
            headers={
                "User-Agent": settings.user_agent,
                "Accept": ACCEPT,
                "Accept-Encoding": "gzip",
            },
        )
        self._robots = RobotsRules(self._fetch_robots, settings.user_agent)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def fetch(self, url: str, *, known: Validators | None = None) -> Fetched:
        """Fetch an address, following redirects; `known` asks only for what is newer.

        Raises AddressRefusedError for an address that may not be fetched, else FetchError:
        PageGoneError when the server says there is no such page, PageRefusedError when it is there
        but not readable, HostBusyError when the host wants to be left alone.
        """
        return self._follow(normalise_url(url), known or Validators(), is_robots=False)

    def _fetch_robots(self, url: str) -> Fetched | None:
        """Return the rules of a host, None where it has none."""
        try:
            return self._follow(url, Validators(), is_robots=True)
        except (PageGoneError, PageRefusedError):
            return None

    def _follow(self, url: str, known: Validators, *, is_robots: bool) -> Fetched:
        for _ in range(self._settings.max_redirects + 1):
            if self._settings.respects_robots and not is_robots:
                self._robots.check(url)
            answer = self._patiently(url, known, is_robots=is_robots)
            if isinstance(answer, Fetched):
                return answer
            url = normalise_url(urljoin(url, answer))
        message = f"More than {self._settings.max_redirects} redirects; the last leads to {url}."
        raise PageRefusedError(message)

    def _patiently(self, url: str, known: Validators, *, is_robots: bool) -> Fetched | str:
        """Ask until the server answers; return the page, or where it sends to."""
        retry = self._settings.retry
        limit = MAX_ROBOTS_BYTES if is_robots else self._settings.max_bytes
        for failures in range(1, retry.attempts + 1):
            self._await_turn(url, is_robots=is_robots)
            try:
                return self._ask(url, known, limit)
            except _TryAgainError as error:
                self._take_refusal(url, error, failures=failures)
        raise AssertionError(url)  # pragma: no cover # the loop always returns or raises

    def _take_refusal(self, url: str, error: _TryAgainError, *, failures: int) -> None:
        """Wait before the next attempt. Raises FetchError if there is none."""
        retry = self._settings.retry
        asked = error.seconds or 0.0
        if asked:
            self._pace.leave_alone(_host(url), seconds=asked)
        if asked > retry.longest_wait_seconds:
            message = f"{error.reason} It asks to be left alone for {asked:.0f} seconds."
            raise HostBusyError(message) from error
        if failures == retry.attempts:
            message = f"{error.reason} Tried {failures} times."
            raise FetchError(message) from error
        chance = random.random()  # noqa: S311 # spreads load, protects nothing
        if (own := back_off(retry, failures=failures, chance=chance)) > asked:
            self._sleep(own)

    def _await_turn(self, url: str, *, is_robots: bool) -> None:
        """Keep the pause that one host gets between two requests, and those it asked for."""
        host = _host(url)
        pause = self._settings.interval_seconds
        if self._settings.respects_robots and not is_robots:
            pause = max(pause, self._robots.delay_seconds(url))
        patience = self._settings.retry.longest_wait_seconds
        turn = self._pace.take_turn(host, pause=pause, patience=patience)
        if turn.is_refused:
            message = (
                f"{host} asked to be left alone for {turn.seconds:.0f} more seconds, so it was not"
                " asked again."
            )
            raise HostBusyError(message)
        if turn.seconds > 0:
            self._sleep(turn.seconds)

    def _ask(self, url: str, known: Validators, limit: int) -> Fetched | str:
        self._deadline.start(self._settings.total_seconds)
        try:
            with self._client.stream("GET", url, headers=_conditions(known)) as response:
                return self._read(url, response, limit)
        except (httpcore.TimeoutException, httpx.TimeoutException) as error:
            reason = f"{_host(url)} did not answer in time."
            raise _TryAgainError(reason) from error
        except (httpcore.ConnectError, httpcore.NetworkError, httpcore.ProtocolError) as error:
            reason = f"{_host(url)} cannot be reached ({_named(error)})."
            raise _TryAgainError(reason) from error
        except (httpx.InvalidURL, UnicodeError, httpx.HTTPError) as error:
            message = f"{url[:200]!r} cannot be fetched ({error})."
            raise PageRefusedError(message) from error

    def _read(self, url: str, response: httpx.Response, limit: int) -> Fetched | str:
        status = response.status_code
        if status in REDIRECTS and response.headers.get("location"):
            return str(response.headers["location"])
        if status == UNCHANGED:
            return Fetched(url=url, is_unchanged=True)
        if status in RETRIED_STATUSES:
            written = response.headers.get("retry-after", "")
            seconds = read_retry_after(written, now=datetime.now(UTC))
            reason = f"{_host(url)} answers {status}."
            raise _TryAgainError(reason, seconds)
        if status in GONE:
            message = f"The server answers {status}: there is no such page."
            raise PageGoneError(message)
        if not response.is_success:
            message = f"The server answers {status}."
            raise PageRefusedError(message)
        return _fetched(url, response, limit)


def _fetched(url: str, response: httpx.Response, limit: int) -> Fetched:
    headers = response.headers
    content = read_body(
        response.iter_raw(), encoding=headers.get("content-encoding", ""), limit=limit
    )
    told = Message()
    told["Content-Type"] = headers.get("content-type", "")
    return Fetched(
        url=url,
        content=content,
        media_type=told.get_content_type() if headers.get("content-type") else "",
        charset=str(told.get_param("charset", "") or ""),
        validators=Validators(
            etag=_short(headers.get("etag", "")),
            last_modified=_short(headers.get("last-modified", "")),
        ),
    )


def _conditions(known: Validators) -> dict[str, str]:
    conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in conditions.items() if value}


def _short(validator: str) -> str:
    """Return a validator that can be sent back whole, or none."""
    is_usable = len(validator) <= MAX_VALIDATOR_LENGTH and validator.isprintable()
    return validator if is_usable and validator.isascii() else ""


def _named(error: Exception) -> str:
    return str(error) or type(error).__name__


def _host(url: str) -> str:
    return urlsplit(url).netloc
