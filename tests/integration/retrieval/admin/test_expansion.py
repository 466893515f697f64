"""Synonyms and intents in the admin: refused at the field where they would mislead."""

import pytest
from django.urls import reverse

from retrieval.models import Intent, Synonym
from tests.factories.knowledge import SourceTypeFactory
from tests.factories.retrieval import SynonymFactory

SYNONYMS = "/admin/retrieval/synonym/add/"
INTENTS = "/admin/retrieval/intent/add/"


def add(client, url, **values):
    response = client.post(url, {"enabled": "on", **values})
    return {} if response.status_code == 302 else dict(response.context["adminform"].errors)


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ("grail", "Give two words or phrases or more"),
        ("grail, the", "“the” is in almost every question"),
        ("grail, ???", "“???” holds no word"),
        ("grail, Grail", "“grail” and “Grail” are the same"),
        ("chalice, cup", "“chalice” and “cup” are taught together already, as “cup, chalice”"),
    ],
)
def test_synonym__is_refused_at_the_field(curator, terms, reason):
    SynonymFactory(terms=["cup", "chalice"], is_one_way=True)

    errors = add(curator, SYNONYMS, terms=terms)

    assert list(errors) == ["terms"]
    assert reason in errors["terms"][0]
    assert Synonym.objects.count() == 1


def test_synonym__one_word_in_two_entries_is_fine_and_can_be_tried(curator):
    SynonymFactory(terms=["cup", "chalice"])

    assert add(curator, SYNONYMS, terms="grail, cup") == {}
    synonym = Synonym.objects.latest("pk")
    url = reverse("admin:retrieval_synonym_change", args=[synonym.pk])
    assert "/admin/preview/?question=grail" in curator.get(url).content.decode()
    curator.post(url, {"terms": "grail, cup", "is_one_way": "on", "enabled": "on"})

    synonym.refresh_from_db()
    assert (synonym.terms, synonym.is_one_way) == (["grail", "cup"], True)
    assert "?question=cup" not in curator.get(url).content.decode()


@pytest.mark.parametrize(
    ("wrong", "field", "reason"),
    [
        ({"boost": "0.3"}, "boost", "Give a number from 0 to 0.2"),
        ({"penalty": "-1"}, "penalty", "Give a number from 0 to 0.2"),
        ({"keywords": "price, of the"}, "keywords", "is in almost every question"),
        ({"avoided_types": "same"}, "avoided_types", "Blog post: preferred and avoided at once"),
    ],
)
def test_intent__is_refused_at_the_field(curator, wrong, field, reason):
    blog = SourceTypeFactory()
    values = {"label": "Prices", "slug": "prices", "keywords": "price", "boost": "0.1"}
    values |= {"penalty": "0.1", "preferred_types": [blog.pk]}
    wrong = {name: blog.pk if value == "same" else value for name, value in wrong.items()}

    errors = add(curator, INTENTS, **{**values, **wrong})

    assert list(errors) == [field]
    assert reason in errors[field][0]
    assert not Intent.objects.exists()


def test_intent__is_saved_with_its_kinds_of_source(curator):
    blog, news = SourceTypeFactory(), SourceTypeFactory(slug="news_article")
    values = {"label": "Prices", "slug": "prices", "keywords": "price, cost", "boost": "0.1"}

    added = {**values, "penalty": "0.1", "preferred_types": [blog.pk], "avoided_types": [news.pk]}
    assert add(curator, INTENTS, **added) == {}
    intent = Intent.objects.get()
    assert (list(intent.preferred_types.all()), list(intent.avoided_types.all())) == (
        [blog],
        [news],
    )
    url = reverse("admin:retrieval_intent_change", args=[intent.pk])
    curator.post(url, {**added, "enabled": "on", "preferred_types": [], "boost": "0.2"})

    intent.refresh_from_db()
    assert (intent.boost, list(intent.preferred_types.all())) == (0.2, [])
    assert "/admin/preview/?question=price" in curator.get(url).content.decode()
