"""Start and stop the server's processes; the caller holds the start lock."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from crmind.postgres import keeper
from crmind.postgres.accounts import server_environment
from crmind.postgres.cluster import (
    ensure_cluster,
    postmaster_pid,
    remove_stale_files,
    server_pids,
)
from crmind.postgres.configuration import write_configuration
from crmind.postgres.diagnosis import last_lines, remedy_for
from crmind.postgres.exceptions import PostgresStartError
from crmind.postgres.layout import PORT, Layout, clients_lock_path, give, prepare, server_lock_path
from crmind.postgres.locks import FileLock, is_held
from crmind.postgres.probe import Answer, ask
from crmind.postgres.programs import Programs, find_programs
from crmind.postgres.provisioning import ensure_database, provision

POLL_SECONDS = 0.02
# The server logs each question that it cannot answer yet.
LONGEST_POLL_SECONDS = 0.2
# Recovery replays up to max_wal_size, and a shutdown writes up to shared_buffers.
PATIENCE_SECONDS = 300.0
# A killed server's own processes notice within milliseconds, unless they are deep in a query.
ORPHAN_SECONDS = 1.0
LOG_LIMIT_BYTES = 10_000_000


def bring_up(layout: Layout, *, database: str) -> None:
    """Return when the server accepts connections; starts one when none runs."""
    if not wait_for_running_server(layout):
        start(layout)
    marker = layout.home / "provisioned"
    if not marker.exists():
        provision(layout)
        if database:
            ensure_database(layout, database)
        marker.touch(mode=0o600)
        give(marker, layout.account)


def wait_for_running_server(layout: Layout) -> bool:
    """Wait until the server that runs accepts connections; False when none runs (any more)."""
    poll_seconds = POLL_SECONDS
    silent_since = time.monotonic()
    deadline = silent_since + PATIENCE_SECONDS
    while is_held(server_lock_path(layout.directory)):
        answer = ask(layout.sockets, PORT)
        if answer is Answer.ACCEPTS:
            return True
        now = time.monotonic()
        if answer is Answer.NOT_NOW:
            silent_since = now
        elif now - silent_since > ORPHAN_SECONDS:
            end_orphans(layout)
            silent_since = now
        if now > deadline:
            raise unusable(layout, "The server does not come up or go down in time.")
        time.sleep(poll_seconds)
        poll_seconds = min(poll_seconds * 1.5, LONGEST_POLL_SECONDS)
    return False


def end_orphans(layout: Layout) -> None:
    """End processes whose server was killed: no new one can start beside them."""
    pids = server_pids(layout.cluster)
    postmaster = postmaster_pid(layout)
    if postmaster is None or postmaster in pids:
        return
    for pid in pids:
        signal_if_alive(pid, signal.SIGKILL)


def start(layout: Layout) -> None:
    programs = find_programs(layout.account)
    lock = FileLock(server_lock_path(layout.directory))
    try:
        if not lock.wait_exclusive(PATIENCE_SECONDS):
            raise unusable(layout, "Another process is preparing the database.")
        prepare(layout)
        ensure_cluster(layout, programs, server_lock=lock.fd)
        remove_stale_files(layout)
        write_configuration(layout)
        (layout.home / "provisioned").unlink(missing_ok=True)
    finally:
        # Not unlocked: a program that was left running here still holds it.
        lock.close()
    rotate_log(layout)
    offset = layout.log.stat().st_size
    launch(layout, programs)
    if not wait_for_running_server(layout):
        raise unusable(layout, "The server does not start.", offset=offset)


def launch(layout: Layout, programs: Programs) -> None:
    """Start the keeper, which starts the server; both outlive this process and its terminal."""
    account = layout.account
    names = [str(account.uid), str(account.gid)] if account.switch else [keeper.KEEP_ACCOUNT] * 2
    command = [
        *(sys.executable, "-I", "-S", keeper.__file__),
        *(
            str(server_lock_path(layout.directory)),
            str(clients_lock_path(layout.directory)),
            str(layout.log),
        ),
        *names,
        *(programs.path("postgres"), "-D", str(layout.cluster)),
    ]
    answer = subprocess.run(  # noqa: S603 - our own command
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd="/",
        env=server_environment(),
        start_new_session=True,
    )
    if answer.returncode != 0:
        lines = tuple(answer.stderr.splitlines()[-3:])
        reason = "The process that looks after the server does not start."
        raise PostgresStartError(reason, remedy=remedy_for(answer.stderr), log_lines=lines)


def shut_down(layout: Layout) -> None:
    """Stop the server: running statements are cancelled, what was committed is written."""
    pid = postmaster_pid(layout)
    # The process number is the server's own only while that server answers.
    if pid is not None and ask(layout.sockets, PORT) is not Answer.SILENT:
        signal_if_alive(pid, signal.SIGINT)
    wait_until_gone(layout.directory)


def wait_until_gone(directory: Path) -> bool:
    return wait_until(lambda: not is_held(server_lock_path(directory)), PATIENCE_SECONDS)


def wait_until(condition: Callable[[], bool], timeout_seconds: float) -> bool:
    deadline = time.monotonic() + timeout_seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def signal_if_alive(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def rotate_log(layout: Layout) -> None:
    """Keep one former log, so that the log cannot grow without end."""
    if layout.log.stat().st_size > LOG_LIMIT_BYTES:
        layout.log.replace(layout.log.with_name("server.log.1"))
        prepare(layout)


def unusable(layout: Layout, reason: str, *, offset: int = 0) -> PostgresStartError:
    lines = last_lines(layout.log, offset=offset)
    return PostgresStartError(reason, remedy=remedy_for("\n".join(lines)), log_lines=lines)
