"""What evaluations from the shell have in common: the stored vectors, and progress."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress

from knowledge.embedding.cached import StoredVectorEmbedder
from knowledge.embedding.registry import settings_embedder, settings_tokenizer
from retrieval.conf import retrieval_settings
from retrieval.evaluation.arms import EvaluatedArm
from retrieval.evaluation.runner import EvaluationPlan
from retrieval.models import RankingProfile
from retrieval.ranking.profile import Profile
from retrieval.rerank.stage import load_reranker
from retrieval.seed import DEFAULT_SLUG, shipped_profile
from retrieval.services import get_profile


def make_plan(
    arms: tuple[EvaluatedArm, ...],
    *,
    profile_slug: str = "",
    against_slug: str = "",
    infers_filters: bool = False,
) -> EvaluationPlan:
    """Return the plan to measure `arms` with the embedder of the settings, vectors kept.

    Another profile, and the reranker of the settings, each add an arm to compare `hybrid` with.
    Raises UnknownProfileError, and EmbeddingError for a reranker that does not load.
    """
    if against_slug:
        arms = (*arms, EvaluatedArm.AGAINST)
    if EvaluatedArm.HYBRID in arms and _is_reranker_ready():
        arms = (*arms, EvaluatedArm.UNRERANKED)
    return EvaluationPlan(
        arms=arms,
        profile=_profile(profile_slug),
        against=_profile(against_slug) if against_slug else None,
        embedder=stored_vectors(),
        tokenizer=settings_tokenizer(),
        now=timezone.now(),
        infers_filters=infers_filters,
    )


def _is_reranker_ready() -> bool:
    """Load the reranker, where the settings name one: loading is no part of any time measured."""
    reranker = load_reranker(retrieval_settings().reranker_model)
    if reranker is None:
        return False
    reranker.score("Is it there?", ["It is."])
    return True


def stored_vectors() -> StoredVectorEmbedder:
    """Return the embedder of the settings, its vectors kept from run to run."""
    embedder = settings_embedder()
    return StoredVectorEmbedder(
        embedder, settings.STATE_DIR / "evaluation" / f"{embedder.spec.provider}.sqlite"
    )


def _profile(slug: str) -> Profile:
    """Return the published profile of that name; before the first migration, the shipped one."""
    if RankingProfile._meta.db_table in connection.introspection.table_names():  # noqa: SLF001 # documented
        return get_profile(slug)
    return shipped_profile(slug or DEFAULT_SLUG)


@contextmanager
def show_progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error; where that is no terminal, a line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(f"{label}: {total}", markup=False)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=total)
        yield lambda steps: bar.advance(task, steps)
