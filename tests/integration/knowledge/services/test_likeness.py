"""Documents that say the same, and passages that stay the same."""

from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.models import Chunk, Document
from knowledge.services import delete_document, retire_document
from knowledge.services.likeness import find_alike
from tests.factories.knowledge import SourceFactory
from tests.integration.knowledge.conftest import Shelf

POLICY = (
    "Goods come back within thirty days if they are whole and if the seal of the box is not broken."
    " Whoever brings them signs the book beside the green door, and leaves a number behind the"
    " window so that somebody can call before the harbour closes on the evening of that day."
)
OTHER = (
    "Park behind the hall, never on the ramp. The ramp belongs to the carriers from six in the"
    " morning, and whoever leaves a car there will find it at the other end of the yard by noon."
)


def alike(external_id):
    found = find_alike(Document.objects.get(external_id=external_id))
    return [(each.title, each.source_name, each.is_exact) for each in found]


def test_find_alike__the_same_words_in_another_source(shelf):
    wiki = Shelf(source=SourceFactory(name="wiki"))
    shelf.store("a.md", POLICY)
    wiki.store("copy.md", POLICY.upper(), title="Returns")
    wiki.store("near.md", POLICY.replace("thirty", "sixty") + " Thank you for your patience.")
    wiki.store("other.md", OTHER)
    wiki.store("short.md", "Thank you.")

    assert alike("a.md") == [("Returns", "wiki", True), ("near.md", "wiki", False)]
    assert alike("copy.md") == [("a.md", "shelf", True), ("near.md", "wiki", False)]
    assert alike("other.md") == alike("short.md") == []


def test_find_alike__as_documents_change_and_go(shelf):
    for name in ("a.md", "b.md", "c.md", "d.md"):
        shelf.store(name, POLICY)
    shelf.store("b.md", OTHER)
    retire_document(document=Document.objects.get(external_id="c.md"))
    assert alike("a.md") == [("d.md", "shelf", True)]

    delete_document(document=Document.objects.get(external_id="d.md"))
    assert alike("a.md") == []


def test_find_alike__says_nothing_of_what_others_read(shelf):
    shelf.store("a.md", POLICY)
    shelf.store("secret.md", POLICY, access_tags=("board",))

    assert alike("a.md") == []


PARAGRAPHS = st.lists(
    st.text("lantern harbo", min_size=5, max_size=300).map(lambda text: text.strip() or "bell"),
    min_size=1,
    max_size=8,
)


def by_hash():
    found = defaultdict(set)
    for key, content_hash in Chunk.objects.values_list("pk", "content_hash"):
        found[content_hash].add(key)
    return found


@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(before=PARAGRAPHS, after=PARAGRAPHS, data=st.data())
def test_store_document__a_passage_keeps_its_id_while_its_text_stays(shelf, before, after, data):
    """Whatever was put in, taken out or moved around it."""
    kept = data.draw(st.permutations(before))[: data.draw(st.integers(0, len(before)))]
    shelf.store("a.md", "\n\n".join(f"# Part {text[:9]}\n\n{text}" for text in before))
    old = by_hash()

    shelf.store("a.md", "\n\n".join(f"# Part {text[:9]}\n\n{text}" for text in [*after, *kept]))

    new = by_hash()
    for content_hash in old.keys() & new.keys():
        fewer = min(len(old[content_hash]), len(new[content_hash]))
        assert len(old[content_hash] & new[content_hash]) == fewer


@pytest.mark.parametrize("place", [0, 1, 3])
def test_store_document__a_section_put_in_leaves_the_other_passages(shelf, settings, place):
    settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "hashing", "CHUNK_TARGET_TOKENS": 64}
    sections = [f"# Section {number}\n\n{POLICY} {number}" for number in range(3)]
    shelf.store("a.md", "\n\n".join(sections))
    before = dict(Chunk.objects.values_list("content_hash", "pk"))
    shelf.embedder.texts.clear()

    sections.insert(place, f"# New\n\n{OTHER}")
    shelf.store("a.md", "\n\n".join(sections))

    after = dict(Chunk.objects.values_list("content_hash", "pk"))
    assert before.items() <= after.items()
    assert 0 < len(shelf.embedder.texts) == len(after) - len(before)
