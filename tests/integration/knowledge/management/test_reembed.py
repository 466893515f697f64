"""The command that changes the embedding model."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from knowledge.models import EmbeddingSpace, SpaceStatus
from knowledge.services import reembedding

NARROW = {"model": "hashed-words-1", "provider": "hashing", "dimensions": 64}


@pytest.fixture
def stock(transactional_db, shelf, settings):
    settings.CRMIND_KNOWLEDGE = {
        "EMBEDDING_PROVIDER": "hashing",
        "EMBEDDING_PRICE_PER_MILLION_TOKENS": 1_000_000.0,
    }
    for number in range(3):
        shelf.store(f"{number}.md", f"Policy number {number} about lanterns")
    return shelf


def reembed(**options):
    """Return the exit code and the lines printed."""
    output = io.StringIO()
    try:
        call_command("reembed", stdout=output, **options)
    except SystemExit as ended:
        return ended.code, output.getvalue().splitlines()
    return 0, output.getvalue().splitlines()


def active():
    return EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE)


def test_reembed__from_the_estimate_to_the_drop(stock):
    first = active()
    assert reembed() == (
        0,
        [f"{first.pk}  hashing hashed-words-1 (384): in use, 3 of 3 passages"],
    )

    _, estimate = reembed(**NARROW, dry_run=True)
    assert estimate[:2] == [
        "hashing hashed-words-1: 64 numbers, up to 256 tokens",
        "3 of 3 passages to embed, about 15 tokens",
    ]
    assert "(measured on 3 passages), and 0 MB in the database" in estimate[2]
    assert estimate[3:] == ["about 15.00 at EMBEDDING_PRICE_PER_MILLION_TOKENS"]
    assert EmbeddingSpace.objects.count() == 1

    _, lines = reembed(**NARROW, yes=True)
    assert lines[4:] == [
        "hashed-words-1 (64) is complete and kept up to date; the model in use goes on answering.",
        "`manage.py reembed --switch` lets it answer.",
    ]
    second = EmbeddingSpace.objects.get(dimensions=64)

    _, lines = reembed(switch=True, yes=True)
    assert lines == [
        (
            "hashed-words-1 (64) answers now. hashed-words-1 (384) is kept up to date: `reembed"
            f" --rollback` goes back to it, `reembed --drop {first.pk}` deletes its vectors."
        )
    ]
    assert active() == second

    _, lines = reembed()
    assert lines == [
        f"{second.pk}  hashing hashed-words-1 (64): in use, 3 of 3 passages",
        (
            f"{first.pk}  hashing hashed-words-1 (384): answered before, kept up to date,"
            " 3 of 3 passages"
        ),
    ]

    reembed(rollback=True, yes=True)
    assert active() == first
    _, lines = reembed(drop=second.pk, yes=True)
    assert lines == ["3 vectors of hashed-words-1 (64) deleted."]


def test_reembed__as_objects(stock):
    _, (line,) = reembed(**NARROW, yes=True, json=True)

    record = json.loads(line)
    assert record["outcome"] == "ready"
    assert record["estimate"]["missing_count"] == 3
    assert [(each["dimensions"], each["status"]) for each in record["models"]] == [
        (64, "ready"),
        (384, "active"),
    ]


def test_reembed__stopped_by_somebody_else(stock, monkeypatch):
    monkeypatch.setattr(reembedding, "BATCH_CHUNKS", 1)
    store = reembedding.store.fill_vectors

    def fill_then_stop(*args, **options):
        EmbeddingSpace.objects.filter(dimensions=64).update(is_stop_requested=True)
        return store(*args, **options)

    monkeypatch.setattr(reembedding.store, "fill_vectors", fill_then_stop)
    code, lines = reembed(**NARROW, yes=True)

    assert code == 4
    assert lines[-1].startswith("Stopped. What is embedded stays; give the command again")
    monkeypatch.undo()
    assert reembed(**NARROW, yes=True)[0] == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (NARROW, "Embed all that now. Give --yes"),
        ({"switch": True, "yes": True}, "no new model that is complete"),
        ({"rollback": True, "yes": True}, "no earlier model to go back to"),
        ({"drop": 999_999, "yes": True}, "there is no embedding model 999999"),
        ({**NARROW, "base_url": "http://127.0.0.1:1"}, "base_url: only openai and voyage"),
        ({**NARROW, "dimensions": 5_000}, "dimensions: give 0"),
        ({"model": " ", "provider": "hashing"}, "model: give the name"),
        (
            {"model": "m", "provider": "openai", "base_url": "http://me:pw@h/v1"},
            "EMBEDDING_BASE_URL holds a password",
        ),
        (
            {"model": "m", "provider": "openai", "api_key_variable": "NOT_SET_API_KEY"},
            "api_key_variable: it belongs to an address of its own",
        ),
        (
            {
                "model": "m",
                "provider": "openai",
                "base_url": "http://127.0.0.1:1/v1",
                "api_key_variable": "NOT_SET_API_KEY",
            },
            "NOT_SET_API_KEY is not set in the environment",
        ),
        (
            {
                "model": "m",
                "provider": "openai",
                "base_url": "http://127.0.0.1:1/v1",
                "api_key_variable": "SECRET_KEY",
            },
            "its name has to end with _API_KEY",
        ),
    ],
)
def test_reembed__refusals_change_nothing(stock, options, told):
    with pytest.raises(CommandError, match=told):
        reembed(**options)

    assert EmbeddingSpace.objects.count() == 1


def test_reembed__the_model_in_use_is_not_dropped(stock):
    with pytest.raises(CommandError, match="is in use"):
        reembed(drop=active().pk, yes=True)
