"""The page "Change the embedding model": choose, estimate, begin."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from crmind.exceptions import CRMindError
from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.hashing import PROVIDER as HASHING
from knowledge.embedding.http import MAX_DIMENSIONS
from knowledge.embedding.registry import PROVIDERS
from knowledge.services.reembedding import begin_reembedding
from knowledge.services.space_choice import new_choice
from knowledge.services.space_estimate import estimate_reembedding
from knowledge.services.space_words import estimate_lines
from knowledge.tasks import enqueue_fill_space

LABELS = {
    "sentence-transformers": "This computer (sentence-transformers)",
    "openai": "A server like OpenAI's (also Ollama, vLLM, TEI)",
    "voyage": "Voyage",
    HASHING: "None: hashed words, for trying out",
}


def _text(label: str, help_text: str, *, required: bool = False) -> forms.CharField:
    return forms.CharField(
        label=label,
        help_text=help_text,
        required=required,
        max_length=500,
        widget=UnfoldAdminTextInputWidget,
    )


class ModelForm(forms.Form):
    """Which model, and how it is asked."""

    provider = forms.ChoiceField(
        label="Where it runs",
        choices=[(each, LABELS.get(each, each)) for each in PROVIDERS],
        widget=UnfoldAdminSelectWidget,
    )
    model = _text("Model", "Its name, or on this computer the folder it is in.", required=True)
    dimensions = forms.IntegerField(
        min_value=0,
        max_value=MAX_DIMENSIONS,
        initial=0,
        label="Numbers per vector",
        help_text="0: as many as the model gives.",
        widget=UnfoldAdminTextInputWidget({"type": "number"}),
    )
    base_url = _text("Address of its own", "Empty: the address of the settings. Only for servers.")
    api_key_variable = _text(
        "Environment variable with its key",
        "The name of the variable, never the key itself. Only with an address of its own.",
    )
    query_prefix = _text("Before each question", "What the model wants there, like “query: ”.")
    document_prefix = _text("Before each passage", "The same for passages, like “passage: ”.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("query_prefix", "document_prefix"):
            field = self.fields[name]
            if isinstance(field, forms.CharField):
                field.strip = False

    def choice(self) -> ModelChoice:
        """Return the model chosen. Raises CRMindError."""
        values = dict(self.cleaned_data)
        for name in ("query_prefix", "document_prefix"):
            values[name] = values[name] or None
        return new_choice(**values)


def choose_model(request: HttpRequest) -> HttpResponse:
    """Show the form, the estimate for what was chosen, or begin and go to the page of the model."""
    form = ModelForm(request.POST or None)
    lines: list[str] = []
    if request.method == "POST" and form.is_valid():
        try:
            choice = form.choice()
            if request.POST.get("step") == "begin":
                return _begin(request, choice)
            lines = list(estimate_lines(estimate_reembedding(choice)))
        except CRMindError as error:
            form.add_error(error.field if error.field in form.fields else None, error.message)
    context = {
        **admin.site.each_context(request),
        "title": "Change the embedding model",
        "form": form,
        "estimate": lines,
    }
    return TemplateResponse(request, "admin/knowledge/embeddingspace/choose.html", context)


def _begin(request: HttpRequest, choice: ModelChoice) -> HttpResponse:
    space = begin_reembedding(choice)
    enqueue_fill_space(space.pk)
    messages.success(request, "The queue worker embeds from now on. Below is how far it is.")
    return HttpResponseRedirect(reverse("admin:knowledge_embeddingspace_change", args=[space.pk]))
