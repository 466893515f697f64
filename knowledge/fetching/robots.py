"""What `robots.txt` says, asked once per host."""

from collections.abc import Callable
from urllib.parse import urlsplit

from protego import Protego

from knowledge.fetching.errors import FetchError, PageRefusedError
from knowledge.fetching.types import Fetched

MAX_ROBOTS_BYTES = 512 * 1024
LONGEST_DELAY_SECONDS = 30.0


class RobotsRules:
    """The rules of each host; a host that cannot tell them is left alone (RFC 9309)."""

    def __init__(self, fetch: Callable[[str], Fetched | None], user_agent: str) -> None:
        self._fetch = fetch
        self._user_agent = user_agent
        self._rules: dict[str, Protego] = {}
        self._silence: dict[str, str] = {}

    def check(self, url: str) -> None:
        """Raise PageRefusedError for an address that the host does not want fetched.

        Raises FetchError where the rules cannot be had.
        """
        rules = self._rules_for(url)
        if reason := self._silence.get(_origin(url)):
            message = f"{reason} Without its robots.txt its pages are left alone."
            raise FetchError(message)
        if not rules.can_fetch(url, self._user_agent):
            message = f"The robots.txt of {urlsplit(url).netloc} does not want this page fetched."
            raise PageRefusedError(message)

    def delay_seconds(self, url: str) -> float:
        """Return the pause between requests that the host asks for."""
        asked = self._rules_for(url).crawl_delay(self._user_agent)
        return min(float(asked or 0.0), LONGEST_DELAY_SECONDS)

    def _rules_for(self, url: str) -> Protego:
        origin = _origin(url)
        if origin not in self._rules:
            self._rules[origin] = Protego.parse(self._text(origin))
        return self._rules[origin]

    def _text(self, origin: str) -> str:
        try:
            fetched = self._fetch(f"{origin}/robots.txt")
        except FetchError as error:
            self._silence[origin] = error.message
            return ""
        return fetched.content.decode("utf-8", "replace") if fetched else ""


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
