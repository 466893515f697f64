"""Addresses of the retrieval API."""

from django.urls import path

from retrieval.api.views import AssembleContext, ExplainAbsence, Search

urlpatterns = [
    path("search/", Search.as_view(), name="search"),
    path("context/", AssembleContext.as_view(), name="context"),
    path("why-not/", ExplainAbsence.as_view(), name="why-not"),
]
