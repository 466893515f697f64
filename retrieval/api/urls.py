"""Addresses of the retrieval API."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
