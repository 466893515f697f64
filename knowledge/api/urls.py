"""Addresses of the knowledge API."""

from django.urls import path

from knowledge.api.bulk import BulkDocuments
from knowledge.api.documents import DocumentDetail, DocumentList
from knowledge.api.entities import EntityDetail, EntityList
from knowledge.api.sources import SourceDetail, SourceList
from knowledge.api.webhooks import SourceWebhook

urlpatterns = [
    path("documents/", DocumentList.as_view(), name="documents"),
    path("documents/bulk/", BulkDocuments.as_view(), name="documents-bulk"),
    path("documents/<int:pk>/", DocumentDetail.as_view(), name="document"),
    path("sources/", SourceList.as_view(), name="sources"),
    path("sources/<int:pk>/", SourceDetail.as_view(), name="source"),
    path("webhooks/<int:source_id>/", SourceWebhook.as_view(), name="webhook"),
    path("entities/", EntityList.as_view(), name="entities"),
    path("entities/<uuid:pk>/", EntityDetail.as_view(), name="entity"),
]
