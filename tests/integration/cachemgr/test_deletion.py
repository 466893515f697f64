"""What is deleted is gone from every answer that was made of it; that there was one stays known."""

import pytest
from rest_framework.test import APIClient

from cachemgr.keys import Scope
from cachemgr.models import CachedCitation, CachedResponse
from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import EVERYONE, ApiKey, Chunk, Document
from knowledge.services import (
    create_source,
    delete_document,
    delete_source,
    find_active_space,
    retire_document,
    store_document,
)
from retrieval.types import Filters
from tests.integration.cachemgr.conftest import NOW, Conversation

pytestmark = pytest.mark.django_db

SECRET = "Heron is the word [1]."


def by_service(document):
    delete_document(document=document)


def by_api(document):
    _, key = ApiKey.objects.create_key(name="sync", access_tags=[EVERYONE], can_write=True)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Api-Key {key}")
    url = f"/api/v1/documents/?source={document.source.name}&external_id={document.external_id}"
    assert client.delete(url).status_code in (200, 204)


def with_its_source(document):
    delete_source(source=document.source)


def with_its_message(document):
    delete_document(document=document.parent)


def after_it_was_retired(document):
    retire_document(document=document)
    delete_document(document=document)


@pytest.mark.parametrize(
    "delete", [by_service, by_api, with_its_source, with_its_message, after_it_was_retired]
)
def test_delete__leaves_no_text_of_the_answer(seeded, delete):
    source = create_source(name="Vault", type_slug="company_website")
    tools = {"embedder": HashingEmbedder(), "tokenizer": RegexTokenizer(), "now": NOW}
    message = ParsedDocument(external_id="mail", text="See the attachment.")
    store_document(source=source, parsed=message, **tools)
    parent = Document.objects.get()
    word = ParsedDocument(external_id="word", text="Heron is the word.")
    store_document(source=source, parsed=word, parent=parent, **tools)
    document = Document.objects.get(external_id="word")
    scope = Scope(
        filters=Filters(access_tags=frozenset({EVERYONE})),
        profile="default",
        profile_version=1,
        space_id=find_active_space().pk,
    )
    chunk = Chunk.objects.select_related("source").get(document=document)
    talk = Conversation(scope=scope, embedder=HashingEmbedder(), chunk=chunk)
    for _ in range(2):
        talk.store(SECRET)
    delete(document)
    assert not CachedResponse.objects.filter(answer__contains="Heron").exists()
    assert not CachedResponse.objects.live().exists()
    assert CachedResponse.objects.count() == CachedCitation.objects.count() == 2
