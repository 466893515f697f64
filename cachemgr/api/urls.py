"""Addresses of the cachemgr API."""

from django.urls import path

from cachemgr.api import responses
from cachemgr.api.asking import Ask

urlpatterns = [
    path("ask/", Ask.as_view(), name="ask"),
    path("responses/", responses.ResponseList.as_view(), name="responses"),
    path("responses/<uuid:response_id>/", responses.ResponseDetail.as_view(), name="response"),
    path(
        "responses/<uuid:response_id>/feedback/",
        responses.ResponseFeedback.as_view(),
        name="response-feedback",
    ),
]
