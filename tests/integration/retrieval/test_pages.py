"""What fills a page: ties, copies, caps."""

import pytest

from knowledge.models import Source
from knowledge.services import update_source

pytestmark = pytest.mark.django_db


def test_search__twelve_that_tie_keep_their_order(library):
    library.add_all({f"copy-{number:02}.txt": "Spam, spam and eggs." for number in range(12)})
    orders = {tuple(library.found("spam and eggs", top_k=12)) for _ in range(20)}
    assert len(orders) == 1
    (order,) = orders
    assert len(set(order)) == 12
    for top_k in (1, 5, 11):
        assert tuple(library.found("spam and eggs", top_k=top_k)) == order[:top_k]


def test_search__a_longer_page_continues_a_shorter_one(library):
    library.add_all({f"{n}.txt": f"Spam {'and eggs ' * (n % 7)}in hall {n}." for n in range(60)})
    longest = library.found("spam and eggs in a hall", top_k=50)
    assert len(set(longest)) == 50
    for top_k in (1, 3, 10, 20, 30):
        assert library.found("spam and eggs in a hall", top_k=top_k) == longest[:top_k]


def test_search__copies_stand_with_the_best_one(library):
    text = "The grail is kept in the castle of Anthrax, behind the third door on the left."
    library.add("trusted.txt", text, source="Chronicle", title="Chronicle")
    library.add_all({f"copy-{number}.txt": text for number in "abc"}, source="Rumours")
    library.add("secret.txt", text, source="Court", access_tags=("court",))
    library.add("other.txt", text.replace("third", "second"), source="Rumours")
    update_source(source=Source.objects.get(name="Chronicle"), trust=1.0)
    hits = library.search("where is the grail kept?", tags=frozenset({"court"})).hits
    assert [hit.evidence.external_id for hit in hits] == ["trusted.txt", "secret.txt", "other.txt"]
    assert [(each.title, each.source_name) for each in hits[0].duplicates] == [
        (f"copy-{number}.txt", "Rumours") for number in "abc"
    ]
    assert hits[1].duplicates == hits[2].duplicates == ()


def test_search__one_document_does_not_fill_the_page(library):
    library.add("long.txt", "\n\n".join(f"# Part {n}\n\nSpam, spam and eggs." for n in range(9)))
    library.add("short.txt", "Spam on toast.")
    result = library.search("spam")
    capped = [hit.evidence.external_id for hit in result.hits if hit.receipt.cap == "document"]
    place = [hit.evidence.external_id for hit in result.hits].index("short.txt")
    assert all(hit.receipt.cap == "" for hit in result.hits[: place + 1])
    assert set(capped) <= {"long.txt"}
