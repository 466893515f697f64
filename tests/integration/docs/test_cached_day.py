"""The requests of the day of cached answers, sent as they stand there, in their order."""

import io
import json
import re
import shlex
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command

from crmind.bootstrap import seed
from knowledge.models import ApiKey
from knowledge.services import create_source

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "how-to" / "cached-day.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(console|json)\n(.+?)\n```$", re.MULTILINE | re.DOTALL)
# Tokens depend on the model.
TOKENS = re.compile(r"\d+ tokens")


@pytest.fixture
def send(db, client):
    """Give what sends a curl command and returns status and body."""
    seed()
    create_source(name="product-library", type_slug="company_website", trust=0.98)
    _, key = ApiKey.objects.create_key(
        name="local", access_tags=["everyone", "sales"], can_write=True
    )

    def send(command, variables):
        text = command.replace("$KEY", key).replace("\\\n", " ")
        for name, value in variables.items():
            text = text.replace(f"'${name}'", value).replace(f"${name}", value)
        words = shlex.split(text)
        headers = dict(after.split(": ") for word, after in pairwise(words) if word == "-H")
        reply = client.post(
            urlsplit(words[2]).path,
            words[words.index("-d") + 1],
            content_type=headers["Content-Type"],
            headers={"authorization": headers["Authorization"]},
        )
        return reply.json() if reply.content else None

    return send


def assert_shows(shown, reply):
    """Compare what the page shows, which may leave things out, with a reply."""
    if isinstance(shown, dict):
        for key, value in shown.items():
            assert_shows(value, reply[key])
    elif isinstance(shown, list):
        for value, actual in zip(shown, reply, strict=False):
            assert_shows(value, actual)
        assert len(shown) <= len(reply)
    else:
        assert shown == reply


def test_cached_day__each_reply_is_as_shown(send):
    variables = {}
    reply = None
    compared = 0
    for kind, text in BLOCK.findall(PAGE):
        if kind == "json":
            assert_shows(json.loads(text), reply)
            compared += 1
        elif text.startswith("$ curl"):
            reply = send(text.removeprefix("$ "), variables)
            if reply and reply.get("store_key"):
                variables["STORE_KEY"] = reply["store_key"]
            if reply and "hit_count" in reply:
                variables["ID"] = reply["id"]
    assert compared == 14

    out = io.StringIO()
    call_command("cache_statistics", "--days", "1", stdout=out)
    shown = PAGE.split("cache_statistics --days 1\n")[1].split("\n```")[0]
    assert figures(out.getvalue()) == figures(shown)


def figures(lines):
    return [TOKENS.sub("tokens", line).split()[1:] for line in lines.strip().splitlines()]
