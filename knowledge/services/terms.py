"""Counts how often words occur, so that the keyword arm can weigh them."""

from django.db import connection, transaction
from django.utils import timezone

from knowledge.conf import knowledge_settings
from knowledge.ingestion.sql import statement
from knowledge.models import Chunk, CorpusStatistic, Document, TermStatistic
from knowledge.services.locking import try_lock

REFRESH_LOCK = 7_310_042
# Counted anew when this share of the corpus changed since; a small corpus, after every run.
CHANGED_SHARE = 0.1
SMALL_CORPUS_CHUNKS = 2_000


def note_chunk_changes(*, language: str, count: int) -> None:
    """Remember that chunks of a language were written or removed since its words were counted."""
    if count:
        with connection.cursor() as cursor:
            cursor.execute(statement("note_chunk_changes"), {"language": language, "count": count})


def refresh_term_statistics(*, force: bool = False) -> list[str]:
    """Count words anew in the languages that changed enough; return those languages.

    Up to `term_sample_chunks` chunks every word is counted, above that those of a sample. While
    another process counts, nothing is done.
    """
    languages = set(CorpusStatistic.objects.values_list("language", flat=True))
    if force or not languages:
        languages.update(Document.objects.order_by().values_list("language", flat=True).distinct())
    wanted = sorted(name for name in languages if force or _is_stale(name))
    return [language for language in wanted if _refresh(language)]


def _is_stale(language: str) -> bool:
    counted = CorpusStatistic.objects.filter(language=language).first()
    if counted is None:
        return True
    if counted.chunk_count <= SMALL_CORPUS_CHUNKS:
        return counted.changes_since > 0
    return counted.changes_since >= CHANGED_SHARE * counted.chunk_count


@transaction.atomic
def _refresh(language: str) -> bool:
    if not try_lock(REFRESH_LOCK):
        return False
    chunk_count = _count_chunks(language)
    if not chunk_count:
        return _forget(language)
    share = knowledge_settings().term_sample_chunks / chunk_count
    with connection.cursor() as cursor:
        vectors, fraction = _everything(language), 1.0
        if share < 1:
            sampled = _sample(language, share, seed=chunk_count)
            cursor.execute(f"SELECT count(*) FROM ({sampled}) AS sampled")  # noqa: S608 # our own
            (sampled_count,) = cursor.fetchone()
            # Whole pages are drawn: what was really read decides, and never nothing.
            if sampled_count:
                vectors, fraction = sampled, min(1.0, sampled_count / chunk_count)
        cursor.execute(
            statement("count_terms"),
            {"language": language, "fraction": fraction, "sampled": vectors},
        )
    CorpusStatistic.objects.update_or_create(
        language=language,
        defaults={
            "chunk_count": chunk_count,
            "sampled_fraction": fraction,
            "changes_since": 0,
            "refreshed_at": timezone.now(),
        },
    )
    return True


def _count_chunks(language: str) -> int:
    return Chunk.objects.searchable().filter(language=language).count()


def _forget(language: str) -> bool:
    """Remove what was counted of a language without chunks; return whether it still has none."""
    # Waits for whoever is writing its first chunks: without a row their words are not looked up.
    CorpusStatistic.objects.select_for_update().filter(language=language).first()
    if _count_chunks(language):
        return False
    TermStatistic.objects.filter(language=language).delete()
    CorpusStatistic.objects.filter(language=language).delete()
    return True


def _everything(language: str, sampling: str = "") -> str:
    """Return the query, itself an argument of ts_stat, that reads the vectors to count."""
    quoted = language.replace("'", "''")
    return (
        f"SELECT search_vector FROM knowledge_chunk {sampling}"  # noqa: S608 # numbers and a quoted name
        f" WHERE is_active AND language = '{quoted}'"
    )


def _sample(language: str, share: float, *, seed: int) -> str:
    """Return the query for a share of the vectors; the same ones whenever the seed is the same."""
    return _everything(language, f"TABLESAMPLE SYSTEM ({100 * share:.4f}) REPEATABLE ({seed})")
