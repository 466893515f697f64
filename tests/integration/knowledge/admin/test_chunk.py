"""Passages in the admin: read-only, never a vector, switched off one by one."""

from django.urls import reverse

from knowledge.models import Chunk, ChunkEmbedding
from tests.factories.cachemgr import EmbeddingSpaceFactory
from tests.factories.knowledge import ChunkFactory

LIST = "/admin/knowledge/chunk/"


def page_of(chunk):
    return f"/admin/knowledge/chunk/{chunk.pk}/change/"


def test_page__names_the_model_and_never_shows_the_vector(viewer):
    chunk = ChunkFactory(heading_path=["Quests", "Grail"])
    ChunkEmbedding.objects.create(
        chunk=chunk, space=EmbeddingSpaceFactory(), vector=[0.123456, 0.7, 0.7]
    )

    page = viewer.get(page_of(chunk)).content.decode()

    assert "hashed words, 3 dimensions" in page
    assert "0.123456" not in page
    assert "Quests / Grail" in page
    assert "<textarea" not in page


def test_page__without_a_vector(viewer):
    page = viewer.get(page_of(ChunkFactory())).content.decode()

    assert "Not embedded yet" in page


def test_page__cannot_be_edited_even_by_curators(curator):
    chunk = ChunkFactory()

    assert curator.post(page_of(chunk), {"text": "changed"}).status_code == 403
    assert Chunk.objects.get().text == chunk.text


def test_switch_off__by_the_list_and_back_by_the_page(curator):
    chunk = ChunkFactory()

    curator.post(LIST, {"action": "switch_off", "_selected_action": [chunk.pk]})
    chunk.refresh_from_db()
    assert (chunk.is_switched_off, chunk.is_active) == (True, False)

    url = reverse("admin:knowledge_chunk_switch_on_this", args=[chunk.pk])
    curator.get(url)
    chunk.refresh_from_db()
    assert chunk.is_switched_off

    curator.post(url, {"_form_submitted": "True"})
    chunk.refresh_from_db()
    assert (chunk.is_switched_off, chunk.is_active) == (False, True)


def test_switch_off__viewers_may_not(viewer):
    chunk = ChunkFactory()

    viewer.post(LIST, {"action": "switch_off", "_selected_action": [chunk.pk]})
    url = reverse("admin:knowledge_chunk_switch_off_this", args=[chunk.pk])

    assert viewer.post(url, {"_form_submitted": "True"}).status_code == 403
    assert Chunk.objects.get().is_active


def test_list__reads_neither_whole_texts_nor_vectors(viewer, django_assert_max_num_queries):
    ChunkFactory(text="grail " * 100)

    with django_assert_max_num_queries(20) as queries:
        page = viewer.get(LIST).content.decode()

    statements = [each["sql"] for each in queries.captured_queries]
    assert not [each for each in statements if '"knowledge_chunk"."search_vector"' in each]
    assert not [each for each in statements if "knowledge_chunkembedding" in each]
    assert "grail " * 40 not in page


def test_list__counts_no_further_than_its_bound(viewer, monkeypatch):
    monkeypatch.setattr("knowledge.admin.paging.COUNTED_AT_MOST", 2)
    document = ChunkFactory().document
    for _ in range(3):
        ChunkFactory(document=document)

    page = viewer.get(LIST).content.decode()

    assert "are shown of many more" in page
