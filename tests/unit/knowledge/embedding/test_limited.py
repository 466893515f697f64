"""Giving a slow model up."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.embedding.limited import TimeLimitedEmbedder
from knowledge.embedding.registry import embedder_of, query_embedder_of
from knowledge.exceptions import EmbeddingError
from tests.unit.knowledge.embedding.contract import EmbedderContract

LONG_MS = 60_000


class SlowEmbedder(HashingEmbedder):
    """Answers when it is let go."""

    def __init__(self):
        super().__init__()
        self.let_go = threading.Event()
        self.asked = []

    def embed_query(self, text):
        self.asked.append(text)
        assert self.let_go.wait(60)
        return super().embed_query(text)


@pytest.fixture
def slow():
    embedder = SlowEmbedder()
    yield embedder
    embedder.let_go.set()


class TestTimeLimitedEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return TimeLimitedEmbedder(HashingEmbedder(), limit_ms=LONG_MS)


def test_embed_query__in_time():
    limited = TimeLimitedEmbedder(HashingEmbedder(), limit_ms=LONG_MS)
    assert np.array_equal(limited.embed_query("pump"), HashingEmbedder().embed_query("pump"))


def test_embed_query__too_slow_is_given_up_and_the_next_is_not_kept_waiting(slow):
    limited = TimeLimitedEmbedder(slow, limit_ms=1)
    with pytest.raises(EmbeddingError, match="did not answer within 1 ms"):
        limited.embed_query("pump")
    with pytest.raises(EmbeddingError, match="still busy with an earlier question"):
        limited.embed_query("pump")
    assert slow.asked == ["pump"]


def test_embed_query__is_asked_again_once_the_model_is_through(slow):
    limited = TimeLimitedEmbedder(slow, limit_ms=500)
    with pytest.raises(EmbeddingError):
        limited.embed_query("pump")
    slow.let_go.set()
    for _ in range(1_000):
        try:
            vector = limited.embed_query("pump")
        except EmbeddingError:
            time.sleep(0.01)
        else:
            break
    assert vector.shape == (384,)


def test_embed_query__loading_does_not_count():
    class LateEmbedder(HashingEmbedder):
        is_loaded = False

        def load(self):
            threading.Event().wait(0.2)
            self.is_loaded = True

        def embed_query(self, text):
            assert self.is_loaded
            return super().embed_query(text)

    limited = TimeLimitedEmbedder(LateEmbedder(), limit_ms=LONG_MS)
    assert limited.embed_query("pump").shape == (384,)


@pytest.mark.parametrize("fault", [ConnectionRefusedError("refused"), TimeoutError("timed out")])
def test_embed_query__what_a_network_raises_is_a_fault_of_the_model(fault):
    class AwayEmbedder(HashingEmbedder):
        def embed_query(self, text):
            raise fault

    with pytest.raises(EmbeddingError, match=f"cannot be reached: {fault}"):
        TimeLimitedEmbedder(AwayEmbedder(), limit_ms=LONG_MS).embed_query("pump")


def test_query_embedder_of__limited_as_the_settings_say(settings):
    assert isinstance(query_embedder_of(None), TimeLimitedEmbedder)
    assert not isinstance(embedder_of(None), TimeLimitedEmbedder)
    settings.CRMIND_KNOWLEDGE = {
        "EMBEDDING_PROVIDER": "hashing",
        "QUERY_EMBEDDING_TIMEOUT_MS": 0,
    }
    assert isinstance(query_embedder_of(None), HashingEmbedder)


def test_let_questions_end__the_process_ends_after_the_model():
    program = (
        "import time\n"
        "from knowledge.embedding.limited import TimeLimitedEmbedder\n"
        "from knowledge.exceptions import EmbeddingError\n"
        "class Slow:\n"
        "    def load(self): pass\n"
        "    def embed_query(self, text):\n"
        "        time.sleep(0.2)\n"
        "        print('through', flush=True)\n"
        "try:\n"
        "    TimeLimitedEmbedder(Slow(), limit_ms=1).embed_query('pump')\n"
        "except EmbeddingError:\n"
        "    print('given up', flush=True)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout.split("\n") == ["given up", "through", ""]
