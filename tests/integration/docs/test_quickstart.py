"""The requests of the quickstart, sent as they stand there."""

import io
import json
import re
import shlex
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command

from cachemgr.guards import check_guards
from crmind.bootstrap import seed
from knowledge.models import ApiKey

ROOT = Path(__file__).resolve().parents[3]
CURL = re.compile(r"^\$ (curl .+?)\n```", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r'"answer": "(.+?)",\s+"citations": \[\{"number": (\d+),\s+"title": "(.+?)"')


@pytest.fixture
def send(db, client):
    seed()
    call_command("load_demo", stdout=io.StringIO())
    _, key = ApiKey.objects.create_key(name="local", access_tags=["everyone", "sales"])

    def send(command, store_key=""):
        words = read_words(command.replace("$KEY", key).replace("'$STORE_KEY'", store_key))
        headers = dict(after.split(": ") for word, after in pairwise(words) if word == "-H")
        return client.post(
            urlsplit(words[2]).path,
            body_of(words),
            content_type=headers["Content-Type"],
            headers={"authorization": headers["Authorization"]},
        )

    return send


def read_words(command):
    return shlex.split(command.replace("\\\n", " "))


def body_of(words):
    return words[words.index("-d") + 1]


def test_quickstart__gives_the_answer_it_shows(send):
    page = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    ask, store, ask_again = CURL.findall(page)
    answer, number, title = SHOWN.search(page).groups()

    evidence = send(ask).json()
    assert evidence["cache"]["kind"] == "miss"
    cited = evidence["context"]["citations"][int(number) - 1]
    assert cited["title"] == title
    assert "31 December 2028" in cited["text"]

    assert send(store, evidence["store_key"]).status_code == 201
    reply = send(ask).json()
    assert reply["answer"] == answer
    assert [citation["title"] for citation in reply["citations"]] == [title]

    # That the words are close enough takes the real model; that nothing else differs does not.
    asked, stored = (json.loads(body_of(read_words(each)))["question"] for each in (ask_again, ask))
    assert asked != stored
    assert check_guards(asked, stored).passed
