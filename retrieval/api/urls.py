"""Addresses of the retrieval API."""

from django.urls import path

from retrieval.api.views import AssembleContext, Search

urlpatterns = [
    path("search/", Search.as_view(), name="search"),
    path("context/", AssembleContext.as_view(), name="context"),
]
