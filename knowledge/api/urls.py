"""Addresses of the knowledge API."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
