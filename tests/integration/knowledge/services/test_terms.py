"""Document frequencies of words."""

import pytest

from knowledge.models import CorpusStatistic, Document, TermStatistic
from knowledge.services import (
    delete_document,
    refresh_term_statistics,
    retire_document,
    terms,
)


def frequency(lexeme, language="english"):
    row = TermStatistic.objects.filter(lexeme=lexeme, language=language).first()
    return row.document_frequency if row else 0


@pytest.fixture
def lanterns(shelf):
    for number in range(4):
        shelf.store(f"{number}.md", f"Lantern policy, edition {number}")
    shelf.store("x.md", "Laternenordnung", language="german")
    return shelf


def test_refresh_term_statistics__counts_chunks_by_language(lanterns):
    assert refresh_term_statistics() == ["english", "german"]

    assert (frequency("lantern"), frequency("2"), frequency("laternenordn", "german")) == (4, 1, 1)
    english = CorpusStatistic.objects.get(language="english")
    assert (english.chunk_count, english.sampled_fraction, english.changes_since) == (4, 1.0, 0)


def test_refresh_term_statistics__estimates_how_many_chunks_repeat_a_word(lanterns):
    """Five chunks hold it seven times: 5 x (1 - 5 / 7) = 1.4, rounded up."""
    lanterns.store("new.md", "Lantern, lantern, lantern")
    refresh_term_statistics()
    lantern = TermStatistic.objects.get(lexeme="lantern", language="english")
    assert (lantern.document_frequency, lantern.repeated_frequency) == (5, 2)
    assert TermStatistic.objects.get(lexeme="edit").repeated_frequency == 0


def test_refresh_term_statistics__only_what_changed(lanterns):
    refresh_term_statistics()
    before = dict(TermStatistic.objects.values_list("lexeme", "pk"))
    assert refresh_term_statistics() == []

    lanterns.store("new.md", "Lantern of Delft")
    assert refresh_term_statistics() == ["english"]

    assert (frequency("lantern"), frequency("delft")) == (5, 1)
    after = dict(TermStatistic.objects.values_list("lexeme", "pk"))
    assert {lexeme: after[lexeme] for lexeme in before} == before


def test_refresh_term_statistics__what_is_gone_does_not_count(lanterns):
    refresh_term_statistics()
    retire_document(document=Document.objects.get(external_id="2.md"))
    delete_document(document=Document.objects.get(external_id="x.md"))

    assert refresh_term_statistics(force=True) == ["english", "german"]

    assert (frequency("lantern"), frequency("2")) == (3, 0)
    assert not TermStatistic.objects.filter(language="german").exists()
    assert list(CorpusStatistic.objects.values_list("language", flat=True)) == ["english"]


def test_refresh_term_statistics__a_large_corpus_waits_for_a_tenth(lanterns, monkeypatch):
    monkeypatch.setattr(terms, "SMALL_CORPUS_CHUNKS", 0)
    monkeypatch.setattr(terms, "CHANGED_SHARE", 0.5)
    refresh_term_statistics()

    lanterns.store("a.md", "one more")
    assert refresh_term_statistics() == []
    lanterns.store("b.md", "and another")
    assert refresh_term_statistics() == ["english"]


def test_refresh_term_statistics__sampled_frequencies_are_scaled(shelf, settings):
    settings.CRMIND_KNOWLEDGE = {
        "EMBEDDING_PROVIDER": "hashing",
        "CHUNK_TARGET_TOKENS": 8,
        "TERM_SAMPLE_CHUNKS": 200,
    }
    outcome = shelf.store(text=" ".join(f"Lantern {number} hangs." for number in range(1200)))
    assert outcome.chunk_count >= 400

    refresh_term_statistics()

    statistic = CorpusStatistic.objects.get(language="english")
    # Whole pages are drawn, so that the share is rough; but it is the share that was read: a word
    # of every chunk is found in every chunk.
    assert 0 < statistic.sampled_fraction < 1
    assert frequency("lantern") == pytest.approx(outcome.chunk_count, abs=1)


def test_refresh_term_statistics__the_first_chunk_that_comes_meanwhile_keeps_its_language(
    lanterns, monkeypatch
):
    """A language without chunks is being forgotten while one is written."""
    delete_document(document=Document.objects.get(external_id="x.md"))
    count = terms._count_chunks

    def count_and_write(language):
        found = count(language)
        if language == "german":
            monkeypatch.setattr(terms, "_count_chunks", count)
            lanterns.store("y.md", "Laternenordnung", language="german")
        return found

    monkeypatch.setattr(terms, "_count_chunks", count_and_write)
    assert refresh_term_statistics() == ["english"]
    assert refresh_term_statistics() == ["german"]
    assert frequency("laternenordn", "german") == 1
