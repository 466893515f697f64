"""The embedded server: one for all processes of a project, none without them."""

import atexit
import contextlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

from crmind.postgres.configuration import USER
from crmind.postgres.diagnosis import remedy_for
from crmind.postgres.exceptions import PostgresStartError
from crmind.postgres.layout import (
    PORT,
    Layout,
    clients_lock_path,
    find_layout,
    server_lock_path,
    start_lock_path,
)
from crmind.postgres.locks import FileLock, is_held
from crmind.postgres.probe import Answer, ask
from crmind.postgres.provisioning import ensure_database
from crmind.postgres.startup import PATIENCE_SECONDS, bring_up, shut_down, wait_until_gone


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """How to connect; the kernel tells the server who connects, so there is no password."""

    host: str
    port: int
    user: str


@dataclass(slots=True, kw_only=True)
class Membership:
    """This process's part in one server: while the clients lock is held, the server stays."""

    clients: FileLock
    layout: Layout | None = None
    for_child: FileLock | None = None


_guard = threading.RLock()
_memberships: dict[Path, Membership] = {}


def ensure_running(directory: Path, *, database: str = "") -> ServerAddress:
    """Return the address of the directory's server, which this process then keeps running.

    The first call of a process waits until the server accepts connections, and starts it when
    none runs: with the database, when one is named. Later calls only look the address up; after a
    failed connection call `recover`.
    """
    directory = directory.resolve()
    with _guard:
        membership = _memberships.get(directory)
        if membership is None or membership.layout is None:
            return recover(directory, database=database)
        return address_of(membership.layout)


def recover(directory: Path, *, database: str = "") -> ServerAddress:
    """Start the server again if it has gone, wait while it recovers, make a missing database."""
    directory = directory.resolve()
    with _guard, explained(directory):
        membership = join(directory)
        with start_lock(directory):
            layout = find_layout(directory)
            bring_up(layout, database=database)
            if database:
                ensure_database(layout, database)
        membership.layout = layout
        return address_of(layout)


def accepts_connections(directory: Path) -> bool:
    """Tell whether the server this process uses is up."""
    membership = _memberships.get(directory.resolve())
    if membership is None or membership.layout is None:
        return False
    return ask(membership.layout.sockets, PORT) is Answer.ACCEPTS


def stop_if_unused(directory: Path) -> bool:
    """Give up this process's part; when it was the last, stop the server and return True."""
    directory = directory.resolve()
    with _guard:
        membership = _memberships.pop(directory, None)
        if membership is None and not clients_lock_path(directory).exists():
            return False
        clients = membership.clients if membership else FileLock(clients_lock_path(directory))
        try:
            with start_lock(directory):
                return is_held(server_lock_path(directory)) and stop_as_last(directory, clients)
        finally:
            clients.close()


def stop_as_last(directory: Path, clients: FileLock) -> bool:
    if clients.try_exclusive():
        shut_down(find_layout(directory))
        return True
    if not clients.try_shared():
        # The keeper was faster, and is stopping the server.
        return wait_until_gone(directory)
    return False


def stop(directory: Path) -> None:
    """Stop the server even if other processes use it."""
    directory = directory.resolve()
    with _guard, start_lock(directory):
        shut_down(find_layout(directory))


def join(directory: Path) -> Membership:
    """Take part in the server; waits while it is being stopped."""
    if directory in _memberships:
        return _memberships[directory]
    directory.mkdir(parents=True, exist_ok=True)
    clients = FileLock(clients_lock_path(directory))
    if not clients.wait_shared(PATIENCE_SECONDS):
        clients.close()
        reason = f"The server in {directory} does not stop."
        raise PostgresStartError(reason, remedy="End its processes and start again.")
    if not _memberships:
        atexit.unregister(leave_all)
        atexit.register(leave_all)
    _memberships[directory] = Membership(clients=clients)
    return _memberships[directory]


def leave_all() -> None:
    """End this process's part in every server; directories removed meanwhile are no error."""
    for directory in list(_memberships):
        with contextlib.suppress(OSError, PostgresStartError):
            stop_if_unused(directory)


@contextlib.contextmanager
def start_lock(directory: Path) -> Iterator[None]:
    """Let one process at a time start or stop the server."""
    lock = FileLock(start_lock_path(directory))
    try:
        if not lock.wait_exclusive(PATIENCE_SECONDS):
            reason = f"Another process is starting the server in {directory} without end."
            raise PostgresStartError(reason, remedy="End that process and start again.")
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def explained(directory: Path) -> Iterator[None]:
    """Put errors of the system and of the new server in words that name place and remedy."""
    try:
        yield
    except (OSError, psycopg.Error) as error:
        reason = f"The embedded database in {directory} cannot be used: {str(error).strip()}."
        raise PostgresStartError(reason, remedy=remedy_for(str(error))) from error


def address_of(layout: Layout) -> ServerAddress:
    return ServerAddress(host=str(layout.sockets), port=PORT, user=USER)


def before_fork() -> None:
    """Take the child's locks before there is a child: neither may ever speak for both.

    The guard lets no fork happen in the middle of a start, whose locks the child would hold on to.
    """
    _guard.acquire()
    for directory, membership in _memberships.items():
        with contextlib.suppress(OSError):
            membership.for_child = FileLock(clients_lock_path(directory))
            membership.for_child.try_shared()


def after_fork_in_parent() -> None:
    for membership in _memberships.values():
        if membership.for_child:
            membership.for_child.close()
            membership.for_child = None
    _guard.release()


def after_fork_in_child() -> None:
    global _guard  # noqa: PLW0603 - the inherited guard belongs to a thread of the parent
    _guard = threading.RLock()
    for directory, membership in list(_memberships.items()):
        if membership.for_child:
            membership.clients.close()
            membership.clients, membership.for_child = membership.for_child, None
        else:
            # The directory was removed. The inherited lock does no harm while it is left alone.
            del _memberships[directory]


os.register_at_fork(
    before=before_fork, after_in_parent=after_fork_in_parent, after_in_child=after_fork_in_child
)
