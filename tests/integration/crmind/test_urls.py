import pytest


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
@pytest.mark.parametrize("address", ["/api/", "/api/v1/", "/api/v1/serach/", "/api/v1/search"])
def test_api__unknown_address_has_the_shape_of_every_error(client, method, address):
    response = getattr(client, method)(address)
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["field"]) == (404, "not_found", "")
    assert "slash" in error["message"]
