import pytest
from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor

from crmind.postgres.exceptions import PostgresStartError


def test_live__touches_no_database(client):
    # Without the django_db mark any query is an error.
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_ready__answers_when_searches_can_be_served(client):
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_ready__says_that_migrations_are_missing(client, monkeypatch):
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda self, targets: ["one"])
    response = client.get("/readyz")
    body = {"status": "unavailable", "faults": ["migrations"]}
    assert (response.status_code, response.json()) == (503, body)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "error",
    [OperationalError("password=hunter2"), PostgresStartError("disk full", remedy="Free some.")],
)
def test_ready__says_that_the_database_is_away_and_no_more(client, monkeypatch, error):
    def fail(*_arguments):
        raise error

    monkeypatch.setattr(MigrationExecutor, "__init__", fail)
    response = client.get("/readyz")
    body = {"status": "unavailable", "faults": ["database"]}
    assert (response.status_code, response.json()) == (503, body)


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_health__only_reads(client, address):
    assert client.post(address).status_code == 405
