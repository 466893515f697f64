"""Addresses of the cachemgr API."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
