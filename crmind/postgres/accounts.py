"""The operating system account the server runs as: PostgreSQL refuses to run as root."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from crmind.postgres.exceptions import PostgresStartError

ACCOUNT_NAME = "crmind"
FALLBACK_NAMES = ("postgres", "nobody")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Whom the server's files belong to; `switch` when that is not the present user."""

    name: str
    uid: int
    gid: int
    switch: bool


def choose_account(directory: Path) -> Account:
    """Return the present user, or for root the account that serves this directory.

    That is the owner of existing files, else the owner of the checkout, else an account of its own.
    """
    if os.geteuid() != 0:
        return present_user()
    entry = owner_above(directory) or dedicated_account()
    return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid, switch=True)


def present_user() -> Account:
    entry = find_entry(os.geteuid())
    if entry is None:
        reason = f"The user with number {os.geteuid()} has no entry in /etc/passwd."
        raise PostgresStartError(
            reason, remedy="Add one, or set DATABASE_URL to a PostgreSQL server of your own."
        )
    return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid, switch=False)


def owner_above(directory: Path) -> pwd.struct_passwd | None:
    """Return the first owner, going up from the directory, who is not root."""
    for path in (directory / "data", directory, *directory.parents):
        if path.exists() and path.stat().st_uid != 0:
            return find_entry(path.stat().st_uid)
    return None


def dedicated_account() -> pwd.struct_passwd:
    """Return the account made for the server, or an existing one where none can be made."""
    if find_entry(ACCOUNT_NAME) is None:
        create_account()
    for name in (ACCOUNT_NAME, *FALLBACK_NAMES):
        entry = find_entry(name)
        if entry is not None and entry.pw_uid != 0:
            return entry
    reason = "PostgreSQL does not run as root, and no other account can be used."
    raise PostgresStartError(reason, remedy=f"Create one: useradd --system {ACCOUNT_NAME}.")


def create_account() -> None:
    command = account_command()
    if command:
        subprocess.run(command, check=False, capture_output=True)  # noqa: S603 - fixed words


def account_command() -> list[str]:
    """Return the command that makes a system account, of the full or the BusyBox kind."""
    if program := shutil.which("useradd"):
        home = ["--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"]
        return [program, "--system", "--user-group", *home, ACCOUNT_NAME]
    if program := shutil.which("adduser"):
        return [program, "-S", "-D", "-H", ACCOUNT_NAME]
    return []


def find_entry(user: str | int) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(user) if isinstance(user, str) else pwd.getpwuid(user)
    except KeyError:
        return None


def run_as(
    account: Account, command: list[str], *, keep_fd: int | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a program as the account and capture what it says."""
    return subprocess.run(  # noqa: S603 - our own commands
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd="/",
        env=server_environment(),
        umask=0o077,
        start_new_session=True,
        pass_fds=() if keep_fd is None else (keep_fd,),
        user=account.uid if account.switch else None,
        group=account.gid if account.switch else None,
        extra_groups=[] if account.switch else None,
    )


def server_environment() -> dict[str, str]:
    """Return this environment without what would change the server's behaviour."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PG", "LC_", "LANG", "CRMIND_", "DATABASE_", "SECRET_"))
    }
    return {**kept, "LC_ALL": "C", "TZ": "UTC"}
