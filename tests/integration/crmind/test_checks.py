import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import Tags, run_checks
from django.db import connection

from crmind import checks

pytestmark = pytest.mark.django_db


def own(messages):
    return [message.id for message in messages if message.id.startswith("crmind.")]


def test_run_checks__silent_on_the_databases_of_the_tests():
    assert own(run_checks(databases=["default"])) == []


def test_run_checks__without_databases_asks_none(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert own(run_checks(tags=[Tags.database])) == []


def test_check_durability__setting_off():
    with connection.cursor() as cursor:
        cursor.execute("set local synchronous_commit = off")
    [message] = checks.check_durability(databases=["default"])
    assert message.id == "crmind.W001"
    assert message.hint == "Set synchronous_commit = on in postgresql.conf."


def test_check_connection__nobody_listens():
    # In a process of its own: a test may not open connections beside its database.
    answer = subprocess.run(
        [sys.executable, "manage.py", "check", "--database", "default"],
        env={**os.environ, "DATABASE_URL": "postgres://somebody@127.0.0.1:1/crmind"},
        cwd=Path(__file__).parents[3],
        check=False,
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 1
    assert "(crmind.E001) The database 'default' does not answer: connection" in answer.stderr
    assert "HINT: Start it and correct DATABASE_URL" in answer.stderr
    assert "1 issue" in answer.stderr
