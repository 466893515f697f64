"""What evaluations from the shell have in common: the stored vectors, and progress."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress

from knowledge.embedding.cached import StoredVectorEmbedder
from knowledge.embedding.registry import get_embedder, get_tokenizer
from retrieval.evaluation.arms import EvaluatedArm
from retrieval.evaluation.runner import EvaluationPlan
from retrieval.models import RankingProfile
from retrieval.ranking.profile import Profile
from retrieval.services import get_profile


def make_plan(
    arms: tuple[EvaluatedArm, ...], *, profile_slug: str = "", infers_filters: bool = False
) -> EvaluationPlan:
    """Return the plan to measure `arms` with the embedder of the settings, vectors kept.

    Raises UnknownProfileError.
    """
    embedder = get_embedder()
    stored = StoredVectorEmbedder(
        embedder, settings.STATE_DIR / "evaluation" / f"{embedder.spec.provider}.sqlite"
    )
    return EvaluationPlan(
        arms=arms,
        profile=_profile(profile_slug),
        embedder=stored,
        tokenizer=get_tokenizer(),
        now=timezone.now(),
        infers_filters=infers_filters,
    )


def _profile(slug: str) -> Profile | None:
    """Return the profile of that name; None, for the shipped one, before the first migration."""
    if not slug and RankingProfile._meta.db_table not in connection.introspection.table_names():  # noqa: SLF001 # documented
        return None
    return get_profile(slug)


@contextmanager
def show_progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error; where that is no terminal, a line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(f"{label}: {total}", markup=False)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=total)
        yield lambda steps: bar.advance(task, steps)
