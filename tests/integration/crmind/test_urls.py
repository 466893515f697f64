import pytest
from django.test import Client


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
@pytest.mark.parametrize("address", ["/api/", "/api/v1/", "/api/v1/serach/", "/api/v1/search"])
def test_api__unknown_address_has_the_shape_of_every_error(client, method, address):
    response = getattr(client, method)(address)
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["field"]) == (404, "not_found", "")
    assert "slash" in error["message"]


@pytest.mark.parametrize("address", ["/api/schema/", "/healthz"])
def test_api__unforeseen_error_has_the_shape_of_every_error(monkeypatch, address):
    def fail(*args, **options):
        raise ZeroDivisionError

    monkeypatch.setattr("drf_spectacular.views.SpectacularAPIView.get", fail)
    monkeypatch.setattr("crmind.health.JsonResponse", fail)
    response = Client(raise_request_exception=False).get(address)
    assert response.status_code == 500
    if address.startswith("/api/"):
        assert response.json()["error"]["code"] == "error"
        assert set(response.json()["error"]) == {"code", "message", "field", "details"}
    else:
        assert response["Content-Type"].startswith("text/html")
