"""Changing the embedding model in the admin."""

import pytest
from django.urls import reverse

from crmind.roles import ADMINISTRATOR
from knowledge import tasks
from knowledge.models import EmbeddingSpace, SpaceStatus
from knowledge.services.reembedding import request_stop
from tests.factories.staff import StaffFactory

LIST = reverse("admin:knowledge_embeddingspace_changelist")
CHOOSE = reverse("admin:knowledge_embeddingspace_change_model")
NARROW = {"provider": "hashing", "model": "hashed-words-1", "dimensions": "64"}


@pytest.fixture
def stock(transactional_db, shelf):
    for number in range(3):
        shelf.store(f"{number}.md", f"Policy number {number} about lanterns")
    return shelf


@pytest.fixture
def administrator(client, stock):
    client.force_login(StaffFactory(role=ADMINISTRATOR))
    return client


@pytest.fixture
def queue(monkeypatch):
    """Work tasks off at once, as the worker does a moment later."""
    queued = []
    monkeypatch.setattr(tasks, "async_task", lambda name, *args: queued.append((name, args)))

    def work():
        while queued:
            name, args = queued.pop(0)
            getattr(tasks, name.rpartition(".")[2])(*args)

    return work


def do(client, space, name):
    """Press a button of the page of a model and say yes; return what it then says."""
    url = reverse(f"admin:knowledge_embeddingspace_{name}", args=[space.pk])
    reply = client.post(url, {"_form_submitted": "True"}, follow=True)
    return str(list(reply.context["messages"])[-1])


def page(client, space):
    url = reverse("admin:knowledge_embeddingspace_change", args=[space.pk])
    return " ".join(client.get(url).content.decode().split())


def active():
    return EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE)


def test_change_model__from_the_choice_to_the_drop(administrator, queue):
    old = active()
    chosen = administrator.post(CHOOSE, {**NARROW, "step": "estimate"}).content.decode()
    assert "3 of 3 passages to embed, about 15 tokens" in chosen
    assert EmbeddingSpace.objects.count() == 1

    administrator.post(CHOOSE, {**NARROW, "step": "begin"})
    new = EmbeddingSpace.objects.get(dimensions=64)
    assert "0 of 3 passages embedded" in page(administrator, new)
    listed = " ".join(administrator.get(LIST).content.decode().split())
    assert "3 of 3 passages wait for hashed-words-1 (64)" in listed

    queue()
    assert "Complete, not in use yet" in page(administrator, new)
    assert "3 of 3 passages embedded" in page(administrator, new)

    assert do(administrator, new, "switch_this") == "Switched."
    assert active() == new
    assert "Go back to it" in page(administrator, old)
    assert do(administrator, old, "go_back_to_this") == "Gone back."
    assert active() == old

    do(administrator, new, "drop_this")
    queue()
    new.refresh_from_db()
    assert (new.status, new.embeddings.count()) == (SpaceStatus.RETIRED, 0)
    assert do(administrator, old, "drop_this") == (
        "hashed-words-1 (384): hashed-words-1 (384) is in use: switch to another model first."
    )


def test_change_model__stopped_and_gone_on_with(administrator, queue):
    administrator.post(CHOOSE, {**NARROW, "step": "begin"})
    new = EmbeddingSpace.objects.get(dimensions=64)
    assert do(administrator, new, "stop_this") == "It stops after its batch."
    assert "Stopped. What is embedded stays." in page(administrator, new)

    do(administrator, new, "resume_this")
    queue()

    new.refresh_from_db()
    assert new.status == SpaceStatus.READY


def test_change_model__a_fault_is_told_where_it_is_looked_for(administrator):
    EmbeddingSpace.objects.create(
        provider="openai", model="m<b>", dimensions=3, fault="<i>answers 401</i>"
    )
    shown = page(administrator, EmbeddingSpace.objects.get(provider="openai"))

    assert "It stopped: &lt;i&gt;answers 401&lt;/i&gt;" in shown
    assert "m<b>" not in shown


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"model": ""}, "This field is required."),
        ({"provider": "elsewhere"}, "Select a valid choice."),
        ({"dimensions": "5000"}, "less than or equal to 4000"),
        ({"base_url": "http://h/v1"}, "only openai and voyage are asked at an address"),
        ({"api_key_variable": "HOME"}, "it belongs to an address of its own"),
        (
            {"provider": "openai", "base_url": "http://127.0.0.1:1/v1?key=1"},
            "EMBEDDING_BASE_URL holds a password or a query",
        ),
        ({"dimensions": "384", "step": "begin"}, "is the model in use already"),
    ],
)
def test_change_model__refusals(administrator, values, told):
    reply = administrator.post(CHOOSE, {**NARROW, "step": "estimate", **values})

    assert told in reply.content.decode()
    assert EmbeddingSpace.objects.count() == 1


def test_change_model__only_for_those_who_may(curator, stock):
    assert curator.get(CHOOSE).status_code == 403
    assert curator.post(CHOOSE, {**NARROW, "step": "begin"}).status_code == 403
    space = active()
    url = reverse("admin:knowledge_embeddingspace_drop_this", args=[space.pk])
    assert curator.post(url, {"_form_submitted": "True"}).status_code == 403
    assert "drop/" not in page(curator, space)
    assert "Change the model" not in curator.get(LIST).content.decode()
    assert EmbeddingSpace.objects.get() == space


def test_list__tells_of_settings_that_name_another_model(administrator, settings):
    settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "hashing", "EMBEDDING_DIMENSIONS": 64}

    assert (
        "The settings name the embedding model hashing" in administrator.get(LIST).content.decode()
    )


def test_reconcile__goes_on_where_a_worker_died(stock, queue, monkeypatch):
    space = EmbeddingSpace.objects.create(provider="hashing", model="hashed-words-1", dimensions=64)
    tasks.reconcile()
    queue()
    space.refresh_from_db()
    assert space.status == SpaceStatus.BUILDING

    monkeypatch.setattr("knowledge.services.reembedding.ABANDONED_AFTER", -tasks.LOST_AFTER)
    request_stop(space)
    tasks.reconcile()
    queue()
    space.refresh_from_db()
    assert space.status == SpaceStatus.BUILDING

    EmbeddingSpace.objects.update(is_stop_requested=False)
    tasks.reconcile()
    queue()
    space.refresh_from_db()
    assert space.status == SpaceStatus.READY
