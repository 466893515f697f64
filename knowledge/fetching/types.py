"""Values of fetching."""

from dataclasses import dataclass, field

from knowledge.fetching.addresses import AddressPolicy
from knowledge.fetching.waiting import RetryPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """Who asks, and within which bounds.

    `step_seconds` bounds each wait for the server, `total_seconds` one request with its body.
    """

    user_agent: str = "CRMind"
    policy: AddressPolicy = field(default_factory=AddressPolicy)
    max_bytes: int = 20 * 1024 * 1024
    step_seconds: float = 15.0
    total_seconds: float = 60.0
    max_redirects: int = 5
    interval_seconds: float = 1.0
    respects_robots: bool = True
    retry: RetryPolicy = field(default_factory=RetryPolicy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What a server gave to ask it later whether a page has changed."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What a server sent; `url` is where the redirects ended.

    `is_unchanged` means that the server knows no newer version than the one it was asked about.
    """

    url: str
    content: bytes = b""
    media_type: str = ""
    charset: str = ""
    validators: Validators = field(default_factory=Validators)
    is_unchanged: bool = False
