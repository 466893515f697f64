"""The embedded server's configuration files, written anew at each start."""

import os
import platform
import re
import sys
from pathlib import Path

from crmind.postgres.accounts import find_entry
from crmind.postgres.layout import PORT, Layout
from crmind.postgres.machine import shared_memory_bytes, usable_cores, usable_memory_bytes
from crmind.postgres.tuning import tune

SUPERUSER = "postgres"
USER = "crmind"
INCLUDED = "crmind.conf"
# For the operator's own settings: never written, and read last.
LOCAL = "local.conf"

LOGGING = {
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "log_checkpoints": "off",
    # Statements carry the text of documents, which does not belong in a log.
    "log_min_error_statement": "panic",
    "log_min_duration_statement": "-1",
}


def write_configuration(layout: Layout) -> None:
    """Write settings tuned for the present machine and the rules of who may connect."""
    cluster = layout.cluster
    write(layout, cluster / INCLUDED, settings_text(server_settings(layout)))
    write(layout, cluster / "pg_hba.conf", f"local all {SUPERUSER},{USER} peer map=crmind\n")
    write(layout, cluster / "pg_ident.conf", identity_map(layout))
    include_once(layout, cluster / "postgresql.conf")


def server_settings(layout: Layout) -> dict[str, str]:
    tuned = tune(usable_memory_bytes(), usable_cores(), shared_memory_bytes=shared_memory_bytes())
    return {
        **tuned,
        **LOGGING,
        # Only the socket, in a directory closed to others: no port to collide on or to attack.
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": double_quoted(str(layout.sockets)),
        "unix_socket_permissions": "0700",
        "recovery_init_sync_method": recovery_sync(sys.platform, platform.release()),
        "timezone": "UTC",
        "lc_messages": "C",
    }


def recovery_sync(system: str, release: str) -> str:
    """Choose how recovery makes sure of all files: seconds sooner where one call does it.

    Linux reports errors of that call since 5.8.
    """
    numbers = re.match(r"(\d+)\.(\d+)", release)
    reliable = system == "linux" and numbers and (int(numbers[1]), int(numbers[2])) >= (5, 8)
    return "syncfs" if reliable else "fsync"


def settings_text(settings: dict[str, str]) -> str:
    lines = [f"{name} = {single_quoted(value)}" for name, value in settings.items()]
    return "\n".join(["# Written at each start; put your own settings in local.conf.", *lines, ""])


def identity_map(layout: Layout) -> str:
    """Let the server's account, root and the present user be any database user."""
    present = find_entry(os.geteuid())
    names = {layout.account.name, "root", present.pw_name if present else "root"}
    return "".join(f"crmind {double_quoted(name)} all\n" for name in sorted(names))


def include_once(layout: Layout, path: Path) -> None:
    directives = f"include '{INCLUDED}'\ninclude '{LOCAL}'\n"
    text = path.read_text()
    if directives not in text:
        write(layout, path, f"{text}\n{directives}")
    local = path.with_name(LOCAL)
    if not local.exists():
        write(layout, local, "# Your own settings; they override those of crmind.conf.\n")


def write(layout: Layout, path: Path, text: str) -> None:
    """Replace a file whole, so that a crash leaves the old or the new one."""
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.write_text(text)
    unfinished.chmod(0o600)
    if layout.account.switch:
        os.chown(unfinished, layout.account.uid, layout.account.gid)
    unfinished.replace(path)


def single_quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def double_quoted(value: str) -> str:
    escaped = value.replace('"', '""')
    return f'"{escaped}"'
