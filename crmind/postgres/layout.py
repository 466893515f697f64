"""Where the embedded server keeps its files."""

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from crmind.postgres.accounts import Account, choose_account, run_as
from crmind.postgres.exceptions import PostgresStartError

SYSTEM_DIRECTORY = Path("/var/lib/crmind")
SHORT_DIRECTORY = Path("/tmp")  # noqa: S108 - a private directory is made in it and checked
PORT = 5432
# The kernel's limit is 107 bytes on Linux and 103 on macOS.
SOCKET_PATH_LIMIT_BYTES = 100
LOCATION = "location"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Paths of one server: locks in `directory`, the rest in `home`, mostly the same place."""

    directory: Path
    home: Path
    sockets: Path
    account: Account

    @property
    def cluster(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "server.log"

    @property
    def postmaster(self) -> Path:
        return self.cluster / "postmaster.pid"


def server_lock_path(directory: Path) -> Path:
    return directory / "server.lock"


def start_lock_path(directory: Path) -> Path:
    return directory / "start.lock"


def clients_lock_path(directory: Path) -> Path:
    return directory / "clients.lock"


def find_layout(directory: Path) -> Layout:
    """Choose and prepare directories that the server's account can reach."""
    account = choose_account(directory)
    home = find_home(directory, account)
    return Layout(
        directory=directory,
        home=home,
        sockets=find_sockets(directory, home, account),
        account=account,
    )


def prepare(layout: Layout) -> None:
    """Make the directories of the layout, private to the server's account."""
    make_private(layout.sockets, layout.account)
    give(layout.directory, layout.account)
    for path in layout.directory.glob("*.lock"):
        give(path, layout.account)
    layout.log.touch(mode=0o600)
    give(layout.log, layout.account)
    give_all(layout.cluster, layout.account)


def find_home(directory: Path, account: Account) -> Path:
    """Return the directory itself, or for an account that cannot enter it one under /var/lib."""
    outside = SYSTEM_DIRECTORY / digest(directory)
    location = directory / LOCATION
    if location.exists():
        recorded = Path(location.read_text().strip())
        if recorded != outside:
            raise misplaced(location, recorded, outside)
        return outside
    give(directory, account)
    if not account.switch or can_use(account, directory):
        return directory
    make_private(outside, account)
    location.write_text(f"{outside}\n")
    return outside


def can_use(account: Account, directory: Path) -> bool:
    script = 'test -d "$0" && test -O "$0" && test -w "$0" && test -x "$0"'
    return run_as(account, ["/bin/sh", "-c", script, str(directory)]).returncode == 0


def find_sockets(directory: Path, home: Path, account: Account) -> Path:
    """Return a directory for the socket: its path is short and has no comma, which libpq splits."""
    sockets = home / "socket"
    name = os.fsencode(sockets / f".s.PGSQL.{PORT}")
    if len(name) <= SOCKET_PATH_LIMIT_BYTES and b"," not in name:
        return sockets
    return SHORT_DIRECTORY / f"crmind-{account.uid}-{digest(directory)}"


def make_private(directory: Path, account: Account) -> None:
    """Make a directory that belongs to the account and is closed to others."""
    directory.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    try:
        directory.mkdir(mode=0o700)
        give(directory, account)
    except FileExistsError:
        pass
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in {account.uid, os.geteuid()}:
        reason = f"{directory} belongs to another user."
        raise PostgresStartError(reason, remedy="Remove it, or run as that user.")
    directory.chmod(0o700)


def give(path: Path, account: Account) -> None:
    """Make root's file the account's; nothing to do for an ordinary user."""
    if account.switch and path.stat().st_uid != account.uid:
        os.chown(path, account.uid, account.gid)


def give_all(root: Path, account: Account) -> None:
    """Make a whole directory the account's, whose number differs in another container."""
    if account.switch and root.exists() and root.stat().st_uid != account.uid:
        for path in (*root.rglob("*"), root):
            os.chown(path, account.uid, account.gid, follow_symlinks=False)


def digest(directory: Path) -> str:
    return hashlib.sha256(os.fsencode(directory)).hexdigest()[:12]


def misplaced(location: Path, recorded: Path, expected: Path) -> PostgresStartError:
    reason = f"{location} says that the database is in {recorded}, as of a checkout elsewhere."
    remedy = f"Move that directory to {expected} and write its name there, or delete {location}."
    return PostgresStartError(reason, remedy=f"{remedy} Deleting it starts an empty database.")
