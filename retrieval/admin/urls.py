"""Addresses of the admin pages that are of no single model."""

from django.contrib import admin
from django.urls import path

from retrieval.admin.grading import grade
from retrieval.admin.preview import preview

urlpatterns = [
    path("preview/", admin.site.admin_view(preview), name="preview"),
    path("preview/grade/", admin.site.admin_view(grade), name="preview-grade"),
]
