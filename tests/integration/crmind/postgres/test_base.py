import textwrap

from tests.integration.crmind.postgres.clients import Client, runs

PROLOGUE = """
import os, signal, sys
from pathlib import Path
import django
from django.conf import settings
OPTIONS = {}
%s
settings.configure(
    CRMIND_POSTGRES_DIR=Path(sys.argv[1]),
    DATABASES={"default": {"ENGINE": "crmind.postgres", "NAME": "crmind", **OPTIONS}},
    USE_TZ=True,
)
django.setup()
from django.core.management import call_command
from django.db import OperationalError, close_old_connections, connection, connections
from crmind.postgres.cluster import postmaster_pid
from crmind.postgres.layout import find_layout

def query(statement, parameters=None):
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall()

def kill_postmaster():
    os.kill(postmaster_pid(find_layout(Path(sys.argv[1]))), signal.SIGKILL)
"""


def script(body: str, *, options: str = "") -> str:
    return PROLOGUE % options + textwrap.dedent(body)


def answers(directory, body: str, *, options: str = "") -> list[str]:
    """Run a Django process to its end, with warnings as errors, and return its lines."""
    with Client(directory, script(body, options=options)) as client:
        lines = client.process.stdout.read().splitlines()
        assert client.process.wait(30) == 0
    assert not runs(directory)
    return lines


def test_import__starts_nothing(directory):
    body = """
        connection.ops.quote_name("x")
        print("imported", flush=True)
        sys.stdin.readline()
    """
    with Client(directory, script(body)) as client:
        assert client.says() == "imported"
        assert not runs(directory)
        assert client.finish() == 0


def test_get_connection_params__first_query_starts_the_server(directory):
    body = """
        print(query("select current_user, current_database()"))
        with connections["default"]._nodb_cursor() as cursor:
            cursor.execute("select current_database()")
            print(cursor.fetchall())
    """
    assert answers(directory, body) == ["[('crmind', 'crmind')]", "[('postgres',)]"]


def test_get_new_connection__after_kill_of_the_postmaster(directory):
    body = """
        query("select 1")
        kill_postmaster()
        try:
            while True:
                query("select 1")
        except OperationalError:
            close_old_connections()
        print(query("select 2"))
    """
    assert answers(directory, body) == ["[(2,)]"]


def test_get_new_connection__missing_database_is_made(directory):
    body = """
        print(query("select current_database()"))
        connection.close()
        connection.settings_dict["NAME"] = "other"
        print(query("select current_database()"))
        with connection._nodb_cursor() as cursor:
            connection.close()
            cursor.execute("drop database other")
    """
    assert answers(directory, body) == ["[('crmind',)]", "[('other',)]"]


def test_get_new_connection__pool_after_kill_of_the_postmaster(directory):
    body = """
        first = query("select pg_backend_pid()")
        connection.close()
        print(first == query("select pg_backend_pid()"))
        connection.close()
        kill_postmaster()
        print(query("select 2"))
    """
    options = (
        'OPTIONS = {"OPTIONS": {"pool": {"min_size": 1, "max_size": 1}},'
        ' "CONN_HEALTH_CHECKS": True}'
    )
    assert answers(directory, body, options=options) == ["True", "[(2,)]"]


def test_create_test_db__made_and_removed(directory):
    body = """
        name = connection.creation.create_test_db(verbosity=0, serialize=False)
        print(query("select current_database(), count(*) from pg_extension where extname='vector'"
                    " group by 1"))
        connection.creation.clone_test_db(suffix="1", verbosity=0)
        connection.creation.destroy_test_db(suffix="1", verbosity=0)
        connection.creation.destroy_test_db("crmind", verbosity=0)
        print(query("select count(*) from pg_database where datname like 'test%%'"))
    """
    assert answers(directory, body) == ["[('test_crmind', 1)]", "[(0,)]"]


def test_runshell__own_psql_with_the_address(directory):
    body = """
        call_command("dbshell", "--", "--no-psqlrc", "-tAc", "select current_user, 1 + 1")
    """
    assert answers(directory, body) == ["crmind|2"]


def test_fork__child_leaves_the_parents_connections_alone(directory):
    body = """
        query("select 1")
        if os.fork() == 0:
            sys.exit()
        os.wait()
        print(query("select 2"))
    """
    assert answers(directory, body) == ["[(2,)]"]
