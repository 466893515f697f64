"""Reranking by a cross-encoder of sentence-transformers."""

import math
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from knowledge.exceptions import EmbeddingError

_loading = threading.Lock()
# The tokenizers behind a model cannot pad two batches at once.
_scoring = threading.Lock()


class CrossEncoderReranker:
    """Scores with a cross-encoder of one output: a folder or a hub name.

    The model loads when it is first needed, once per process. Only a hub name may be fetched, and
    not while HF_HUB_OFFLINE is set.
    """

    def __init__(
        self, model: str | Path, *, batch_size: int = 32, device: str | None = None
    ) -> None:
        self._location = str(model)
        self._batch_size = batch_size
        self._device = device

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        if not passages:
            return []
        pairs = [(_encodable(question), _encodable(passage)) for passage in passages]
        with _loading:
            model = _load_model(self._location, self._device)
        return self._checked(self._predict(model, pairs))

    def _predict(self, model: Any, pairs: list[tuple[str, str]]) -> list[float]:
        from torch import nn  # noqa: PLC0415 - takes seconds

        try:
            with _scoring:
                scores = model.predict(
                    pairs,
                    batch_size=self._batch_size,
                    activation_fn=nn.Sigmoid(),
                    show_progress_bar=False,
                )
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            message = f"reranker {self._location} failed: {error}"
            raise EmbeddingError(message) from error
        return [float(score) for score in scores]

    def _checked(self, scores: list[float]) -> list[float]:
        if not all(map(math.isfinite, scores)):
            message = f"reranker {self._location} gave a score that is no number"
            raise EmbeddingError(message)
        return scores


def _encodable(text: str) -> str:
    return text.encode("utf-8", errors="replace").decode("utf-8")


@lru_cache(maxsize=2)
def _load_model(location: str, device: str | None) -> Any:
    from sentence_transformers import CrossEncoder  # noqa: PLC0415 - takes seconds
    from transformers.utils import logging as transformers_logging  # noqa: PLC0415 - as above

    transformers_logging.disable_progress_bar()
    try:
        model = CrossEncoder(location, device=device, local_files_only=Path(location).is_dir())
    except (OSError, RuntimeError, ValueError, ImportError) as error:
        message = f"reranker {location!r} cannot be loaded: {error}"
        raise EmbeddingError(message) from error
    outputs = model.model.config.num_labels
    if outputs != 1:
        message = f"reranker {location!r} has {outputs} outputs; one that scores has 1."
        raise EmbeddingError(message)
    return model
