"""Addresses of the project."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from crmind import health
from crmind.api import UnknownAddress
from crmind.history.views import changes, object_history, take_back
from crmind.metrics import metrics
from crmind.navigation import find_pages
from knowledge.admin.related import find_choices

handler500 = "crmind.api.server_error"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index"), name="home"),
    path("healthz", health.live, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    path("api/v1/", include("knowledge.api.urls")),
    path("api/v1/", include("retrieval.api.urls")),
    path("api/v1/", include("cachemgr.api.urls")),
    path("admin/", include("retrieval.admin.urls")),
    path("admin/changes/", admin.site.admin_view(changes), name="changes"),
    path(
        "admin/changes/<str:app>/<str:model>/<int:number>/",
        admin.site.admin_view(take_back),
        name="take_back",
    ),
    # Before the admin's own addresses of the same shape.
    path("admin/search/", admin.site.admin_view(find_pages), name="search"),
    path("admin/<str:app>/<str:model>/<path:key>/history/", admin.site.admin_view(object_history)),
    path("admin/autocomplete/", admin.site.admin_view(find_choices)),
    re_path("^api/", UnknownAddress.as_view()),
    path("admin/", admin.site.urls),
]
