"""Changing the embedding model, as an administrator does it."""

from django.urls import reverse

from knowledge.models import EmbeddingSpace, SpaceStatus
from knowledge.services.reembedding import fill_space


def test_embedding_model__chosen_filled_switched_to_and_gone_back(administrator, stock):
    administrator.open(reverse("admin:knowledge_embeddingspace_changelist"))
    administrator.sees("In use")
    administrator.follow("Change the model")
    administrator.page.get_by_label("Where it runs").select_option("hashing")
    administrator.fill("Model", "hashed-words-1")
    administrator.fill("Numbers per vector", "64")
    administrator.press("Estimate")
    administrator.sees("passages to embed")
    administrator.look("embedding-choose")
    administrator.press("Embed all passages", exact=False)
    administrator.sees("The model in use goes on answering")
    administrator.look("embedding-building")

    new = EmbeddingSpace.objects.get(dimensions=64)
    fill_space(new, on_progress=lambda _: None)
    administrator.sees("Complete, not in use yet")
    administrator.look("embedding-complete")
    switch(administrator, "Switch to it", "Switch")
    administrator.sees("Switched.")
    administrator.sees("In use")
    assert EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE) == new

    administrator.open(reverse("admin:knowledge_embeddingspace_changelist"))
    administrator.look("embedding-list")
    administrator.follow("hashed-words-1 (384)")
    administrator.sees("you can go back to it at once")
    administrator.look("embedding-before")
    switch(administrator, "Go back to it", "Go back")
    administrator.sees("Gone back.")


def switch(visit, name, button):
    """Press an action of the page and say yes."""
    visit.follow(name)
    visit.press(button)
