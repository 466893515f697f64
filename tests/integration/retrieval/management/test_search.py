"""`manage.py search`."""

import json
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from knowledge.models import Document
from retrieval.models import SearchLog
from tests.factories.retrieval import SynonymFactory

pytestmark = pytest.mark.django_db


def run(*arguments):
    output = StringIO()
    call_command("search", *arguments, stdout=output)
    return output.getvalue()


@pytest.fixture
def dated(library):
    library.add(
        "swallow.txt",
        "An unladen swallow carries a coconut by the husk.",
        title="Swallows",
        published_at=datetime(2031, 3, 31, tzinfo=UTC),
    )
    return library


AS_OF = ("--as-of", "2031-03-31T00:00Z")


def test_search__whole_output(dated):
    lines = run("Who carries a coconut?", *AS_OF).splitlines()
    assert lines[0].startswith("answerable  The best passage is similar to the question by 0.")
    assert lines[1:] == [
        "",
        # quality (0.25 x 1 + 0.2 x 0.7 + 0.15 x 0.6) / 0.6 = 0.8; 1 x (1 + 0.5 x (2 x 0.8 - 1))
        "  1  1.300  Swallows",
        "            Camelot · Blog post · 2031-03-31",
        "            An unladen swallow carries a coconut by the husk.",
        "",
    ]
    assert SearchLog.objects.get().origin == "command"


def test_search__explains(dated):
    output = run("Who carries a coconut?", "--explain", *AS_OF)
    assert "freshness 1.000: 0 days old, half as fresh every 60 days" in output
    assert "1.000 x (1 + 0.5 x (2 x quality - 1))" in output
    assert "quality = 0.25 x 1.000 + 0.2 x 0.700 + 0.15 x 0.600, divided by 0.6" in output


def test_search__json(dated):
    body = json.loads(run("coconut", "--json", *AS_OF))
    assert body["judgment"]["verdict"] in {"answerable", "weak"}
    (hit,) = body["hits"]
    assert (hit["rank"], hit["external_id"]) == (1, "swallow.txt")
    assert hit["published_at"] == "2031-03-31T00:00:00+00:00"
    assert hit["receipt"]["score"] == hit["score"]


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["--until", "2031-03-30"], 0),
        (["--until", "2031-03-31"], 1),
        (["--since", "2031-04-01"], 0),
        (["--type", "email"], 0),
        (["--type", "email", "--type", "blog_post"], 1),
        (["--source", "Camelot"], 1),
        (["--tags", "knights,kings"], 1),
        (["--as-of", "2031-03-30"], 0),
        (["--as-of", "2031-03-31"], 1),
    ],
)
def test_search__filters(dated, arguments, count):
    assert len(json.loads(run("coconut", "--json", *arguments))["hits"]) == count


def test_search__markup_in_a_document_is_only_text(library):
    library.add("sly.txt", "The [bold red]grail[/] is here.", title="[link=x]Grail[/link]")
    output = run("grail")
    assert "[link=x]Grail[/link]" in output
    assert "The [bold red]grail[/] is here." in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], "The question is empty. Ask something."),
        (["grail", "--top-k", "0"], "top_k is 0; it may be 1 to 100."),
        (["grail", "--profile", "nope"], "There is no published ranking profile 'nope'."),
        (["grail", "--entity", "Mordred"], "There is no entity 'Mordred'."),
        (["grail", "--type", "nope"], "There is no source type 'nope'."),
        (["grail", "--source", "nope"], "There is no source 'nope'."),
        (["grail", "--tags", "Knights!"], "Knights!"),
        (["grail", "--since", "soon"], "since is 'soon'; write a date like 2031-03-31"),
        (["grail", "--since", "2031-04-01", "--until", "2031-03-31"], "exchange the two."),
    ],
)
def test_search__one_clear_line(library, arguments, message):
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_search__why_not(dated):
    dated.add("secret.txt", "A coconut for the court.", access_tags=("court",))
    lines = run("coconut", "--why-not", "swallow.txt").splitlines()
    assert lines[:2] == ["Swallows (Camelot)", "  It stands at place 1, among those shown."]
    assert run("coconut", "--why-not", "secret.txt").splitlines() == [
        "secret.txt (Camelot)",
        "  This reader may not see it: it is for court, and the reader has everyone.",
    ]
    pk = Document.objects.get(external_id="secret.txt").pk
    told = json.loads(run("coconut", "--why-not", str(pk), "--tags", "court", "--json"))
    assert told["external_id"] == "secret.txt"
    assert told["rank"] in (1, 2)
    with pytest.raises(CommandError, match="There is no such document"):
        run("coconut", "--why-not", "nothing.txt")


def test_search__without_a_step(dated):
    SynonymFactory(terms=["cup", "coconut"])

    def read(*options):
        interpretation = json.loads(run("the latest cup", "--json", *options))["interpretation"]
        return set(interpretation) - {"terms", "unknown_terms"}

    assert read() == {"recency", "synonyms"}
    assert read("--without", "synonyms") == {"recency"}
    assert read("--without", "synonyms", "--without", "recency") == set()
    assert read("--literal") == set()
    with pytest.raises(CommandError, match="--without: invalid choice: 'synonym'"):
        run("the latest cup", "--without", "synonym")
