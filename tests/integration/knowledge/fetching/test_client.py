"""Fetching from a real server that misbehaves."""

import gzip
import socket
import time
import zlib

import pytest

from knowledge.fetching.addresses import read_policy
from knowledge.fetching.client import Fetcher
from knowledge.fetching.errors import (
    AddressRefusedError,
    FetchError,
    HostBusyError,
    PageGoneError,
    PageRefusedError,
)
from knowledge.fetching.types import FetchSettings, Validators
from knowledge.fetching.waiting import RetryPolicy
from tests.integration.website import website


@pytest.fixture
def site():
    with website() as running:
        yield running


@pytest.fixture
def sleeps():
    return []


@pytest.fixture
def fetcher(sleeps):
    """Give a fetcher that may use this machine and remembers its pauses instead of taking them."""
    with Fetcher(settings(), sleep=sleeps.append) as fetcher:
        yield fetcher


def settings(**changes):
    values = {
        "user_agent": "TestBot/1.0",
        "policy": read_policy(["127.0.0.1"]),
        "max_bytes": 200_000,
        "step_seconds": 0.15,
        "total_seconds": 0.4,
        "interval_seconds": 0.0,
        "retry": RetryPolicy(attempts=3, longest_wait_seconds=30.0),
    }
    return FetchSettings(**{**values, **changes})


def test_fetch__page_with_its_validators(site, fetcher):
    url = site.page("/a", text="Grail", ETag='"v1"')

    fetched = fetcher.fetch(f"{url}#part")

    assert b"Grail" in fetched.content
    assert (fetched.url, fetched.media_type, fetched.charset) == (url, "text/html", "utf-8")
    assert fetched.validators == Validators(etag='"v1"')
    assert fetcher.fetch(url, known=fetched.validators).is_unchanged
    assert not fetcher.fetch(url, known=Validators(etag='"v0"')).is_unchanged
    assert {headers["User-Agent"] for _, headers in site.requests} == {"TestBot/1.0"}


def test_fetch__last_modified(site, fetcher):
    moment = "Sun, 20 Jul 2031 12:00:00 GMT"
    url = site.page("/a", **{"Last-Modified": moment})

    assert fetcher.fetch(url, known=Validators(last_modified=moment)).is_unchanged


def test_fetch__redirects_end_somewhere(site, fetcher):
    url = site.page("/end", text="Grail")
    site.redirect("/one", "/two")
    site.redirect("/two", "end")
    site.redirect("/round", "/round")

    assert fetcher.fetch(site.url + "/one").url == url
    with pytest.raises(PageRefusedError, match="More than 5 redirects"):
        fetcher.fetch(site.url + "/round")


def test_fetch__a_busy_server_is_asked_again(site, fetcher, sleeps):
    answers = iter([503, 429, b"Grail"])
    site.pages["/a"] = lambda handler: next(answers)
    site.headers["/a"] = {"Retry-After": "7"}

    assert fetcher.fetch(site.url + "/a").content == b"Grail"
    assert [round(pause) for pause in sleeps] == [7, 7]


def test_fetch__gives_up_after_some_attempts_with_growing_pauses(site, fetcher, sleeps):
    site.pages["/a"] = 500

    with pytest.raises(FetchError, match=r"answers 500\. Tried 3 times"):
        fetcher.fetch(site.url + "/a")

    assert site.hits["/a"] == 3
    assert 0.1 <= sleeps[0] <= 1.0
    assert 0.2 <= sleeps[1] <= 2.0


def test_fetch__a_host_that_wants_hours_is_left_alone(site, fetcher, sleeps):
    site.pages["/a"] = 429
    site.headers["/a"] = {"Retry-After": "7200"}
    site.page("/b")

    with pytest.raises(HostBusyError, match="left alone for 7200 seconds"):
        fetcher.fetch(site.url + "/a")
    with pytest.raises(HostBusyError, match="asked to be left alone for 7200 more seconds"):
        fetcher.fetch(site.url + "/b")

    assert site.hits["/b"] == 0
    assert sleeps == []


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, PageGoneError), (410, PageGoneError), (403, PageRefusedError), (401, PageRefusedError)],
)
def test_fetch__refusals_are_final(site, fetcher, status, error):
    site.pages["/a"] = status

    with pytest.raises(error, match=f"answers {status}"):
        fetcher.fetch(site.url + "/a")
    assert site.hits["/a"] == 1


def test_fetch__hosts_get_pauses(site, sleeps):
    site.pages["/robots.txt"] = b"User-agent: *\nCrawl-delay: 3\n"
    site.page("/a")
    with Fetcher(settings(interval_seconds=1.0), sleep=sleeps.append) as fetcher:
        fetcher.fetch(site.url + "/a")
        fetcher.fetch(site.url + "/a")

    assert [round(pause) for pause in sleeps] == [1, 4]


@pytest.mark.parametrize(
    ("robots", "allowed"),
    [
        (b"User-agent: *\nDisallow: /private\n", False),
        (b"User-agent: TestBot\nDisallow: /private\n", False),
        (b"User-agent: other\nDisallow: /\n", True),
        (b"User-agent: *\nDisallow: /\nAllow: /private/a$\n", True),
        (404, True),
        (403, True),
        (500, False),
    ],
)
def test_fetch__robots(site, fetcher, robots, allowed):
    site.pages["/robots.txt"] = robots
    url = site.page("/private/a")

    if allowed:
        assert fetcher.fetch(url).content
    else:
        with pytest.raises(FetchError, match=r"robots\.txt"):
            fetcher.fetch(url)
    assert site.hits["/private/a"] == allowed


def test_fetch__robots_of_where_a_redirect_leads(site, fetcher):
    site.pages["/robots.txt"] = b"User-agent: *\nDisallow: /private\n"
    site.page("/private/a")

    with pytest.raises(PageRefusedError, match=r"robots\.txt"):
        fetcher.fetch(site.redirect("/a", "/private/a"))
    assert site.hits["/private/a"] == 0


@pytest.mark.parametrize("packing", ["none", "gzip", "zlib", "bomb"])
def test_fetch__no_more_than_the_bound(site, fetcher, packing):
    body = b"x" * (100_000_000 if packing == "bomb" else 200_001)
    packed = {
        "none": lambda: (body, ""),
        "gzip": lambda: (gzip.compress(body), "gzip"),
        "zlib": lambda: (zlib.compress(body), "deflate"),
        "bomb": lambda: (gzip.compress(body, 9), "gzip"),
    }
    content, encoding = packed[packing]()
    site.pages["/a"] = content
    site.headers["/a"] = {"Content-Encoding": encoding} if encoding else {}

    with pytest.raises(PageRefusedError, match="the most that is fetched"):
        fetcher.fetch(site.url + "/a")


@pytest.mark.parametrize(
    ("encoding", "body", "message"),
    [
        ("gzip", b"no gzip", "damaged"),
        ("gzip", gzip.compress(b"Grail" * 1000, mtime=0)[:-20], "damaged"),
        ("br", b"x", "nobody asked for"),
    ],
)
def test_fetch__bodies_that_cannot_be_unpacked(site, fetcher, encoding, body, message):
    site.pages["/a"] = body
    site.headers["/a"] = {"Content-Encoding": encoding}

    with pytest.raises(PageRefusedError, match=message):
        fetcher.fetch(site.url + "/a")


def test_fetch__gzip(site, fetcher):
    site.pages["/a"] = gzip.compress(b"Grail")
    site.headers["/a"] = {"Content-Encoding": "gzip"}

    assert fetcher.fetch(site.url + "/a").content == b"Grail"


def silent(handler):
    time.sleep(0.2)


def dripping(handler):
    """Send a byte now and then: no single wait is too long, all of them are."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    for _ in range(12):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.06)


def dripping_headers(handler):
    for letter in b"HTTP/1.1 200":
        handler.wfile.write(bytes([letter]))
        handler.wfile.flush()
        time.sleep(0.06)


def hanging_up(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    handler.close_connection = True


def babbling(handler):
    handler.wfile.write(b"this is no HTTP\r\n\r\n")
    handler.close_connection = True


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (silent, "did not answer in time"),
        (dripping, "did not answer in time"),
        (dripping_headers, "did not answer in time"),
        (hanging_up, "cannot be reached"),
        (babbling, "cannot be reached"),
    ],
)
def test_fetch__servers_that_misbehave(site, behaviour, message):
    site.pages["/a"] = behaviour
    once = RetryPolicy(attempts=1)
    with (
        Fetcher(settings(retry=once, respects_robots=False)) as fetcher,
        pytest.raises(FetchError, match=message),
    ):
        fetcher.fetch(site.url + "/a")


def test_fetch__nobody_there(fetcher):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(FetchError, match="cannot be reached"):
            fetcher.fetch(f"http://127.0.0.1:{unused.getsockname()[1]}/a")


def test_fetch__this_machine_only_if_allowed(site):
    site.page("/a")
    with (
        Fetcher(settings(policy=read_policy([]))) as fetcher,
        pytest.raises(AddressRefusedError, match="not an address of the public internet"),
    ):
        fetcher.fetch(site.url + "/a")
    assert not site.hits
