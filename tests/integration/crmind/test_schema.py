from io import StringIO

import pytest
from django.core.management import call_command


def test_schema__is_valid_and_without_a_warning():
    written = StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=written)
    for path in ("search", "context", "ask", "responses", "documents", "sources", "entities"):
        assert f"/api/v1/{path}/:" in written.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/api/schema/", "/api/docs/"])
def test_schema__is_open_to_read(client, address):
    assert client.get(address).status_code == 200
