"""The documents of an evaluation set, stored."""

import pytest

from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.models import Document
from retrieval.evaluation.corpus import load_corpus
from retrieval.evaluation.datasets import CorpusDocument, Dataset, EntityMention
from tests.integration.knowledge.conftest import NOW

pytestmark = pytest.mark.django_db


def test_load_corpus__documents_are_about_what_the_set_says(seeded):
    hollis = EntityMention(kind="company", external_id="h", name="Hollis Packaging")
    text = "A visit to Hollis Packaging."
    documents = (
        CorpusDocument(document_id="told", title="", text=text, entities=(hollis,)),
        CorpusDocument(document_id="untold", title="", text=text),
    )
    advanced = []
    load_corpus(
        Dataset(name="set", documents=documents, questions=()),
        embedder=HashingEmbedder(),
        tokenizer=RegexTokenizer(),
        now=NOW,
        advance=advanced.append,
    )
    about = Document.objects.values_list("external_id", "entities__name").order_by("external_id")
    assert list(about) == [("told", "Hollis Packaging"), ("untold", None)]
    assert advanced == [1, 1]
