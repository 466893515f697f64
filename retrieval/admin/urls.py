"""Addresses of the admin pages that are of no single model."""

from django.contrib import admin
from django.urls import path

from retrieval.admin.golden_exchange import export_golden, import_golden
from retrieval.admin.grading import grade
from retrieval.admin.preview import preview
from retrieval.admin.what_if import what_would_change
from retrieval.admin.what_if_list import what_would_these_change

urlpatterns = [
    path("preview/", admin.site.admin_view(preview), name="preview"),
    path("preview/grade/", admin.site.admin_view(grade), name="preview-grade"),
    path("golden-set/import/", admin.site.admin_view(import_golden), name="golden-import"),
    path(
        "golden-set/export/<slug:layout>/",
        admin.site.admin_view(export_golden),
        name="golden-export",
    ),
    path(
        "what-if/<slug:kind>/<int:pk>/",
        admin.site.admin_view(what_would_change),
        name="what-if",
    ),
    path(
        "what-if/<slug:kind>/",
        admin.site.admin_view(what_would_these_change),
        name="what-if-list",
    ),
]
