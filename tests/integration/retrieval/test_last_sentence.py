"""Row T59: what stands beyond the length that the model reads is in a vector of its own."""

import pytest

from knowledge.models import Chunk

pytestmark = pytest.mark.django_db

CASTLES = ["Anthrax", "Belgrave", "Corford", "Dunmoor", "Ernstead", "Fulham", "Gorse", "Heron"]
FILLER = "The rota of the hall hangs beside the green door, and whoever takes a lamp signs it. "


def test_search__finds_the_last_sentence_by_its_vector(library):
    last = {name: f"The keeper of {name} is called {name[::-1].title()}." for name in CASTLES}
    library.add_all({f"{name}.md": FILLER * 30 + text for name, text in last.items()})

    assert max(Chunk.objects.values_list("token_count", flat=True)) <= 256
    assert Chunk.objects.count() >= 2 * len(CASTLES)
    for name, text in last.items():
        hits = library.search(f"Who is the keeper of {name}?", top_k=5).hits
        (hit,) = (hit for hit in hits if text in hit.evidence.text)
        assert hit.receipt.vector_rank is not None
        assert hit.receipt.vector_rank <= 5
