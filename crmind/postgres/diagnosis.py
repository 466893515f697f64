"""What a server's last words mean for the person who started it."""

from pathlib import Path

LOG_LINES = 12

REMEDIES = (
    ("No space left on device", "The disk is full: free some space and start again."),
    ("Disk quota exceeded", "The disk quota is used up: free some space and start again."),
    ("Read-only file system", "The file system is read-only: set CRMIND_STATE_DIR elsewhere."),
    ("Permission denied", "Give the user write permission, or set CRMIND_STATE_DIR elsewhere."),
    ("wrong ownership", "Run as the user who owns the directory."),
    ("Cannot allocate memory", "Give the machine more memory, or lower shared_buffers."),
    ("could not create shared memory", "Give the machine more memory, or lower shared_buffers."),
    ("could not bind Unix address", "Set CRMIND_STATE_DIR to a directory that allows sockets."),
    ("configuration file", "Correct local.conf in the data directory."),
    ("does not exist in passwd", "Add the user to /etc/passwd, or set DATABASE_URL."),
    ("could not locate a valid checkpoint", "Restore a backup: the files are damaged."),
)
UNKNOWN = "Read the lines below, or set DATABASE_URL to a PostgreSQL server of your own."


def remedy_for(output: str) -> str:
    """Return what to do about the first known complaint in a program's output."""
    for complaint, remedy in REMEDIES:
        if complaint in output:
            return remedy
    return UNKNOWN


def last_lines(log: Path, *, offset: int = 0) -> tuple[str, ...]:
    """Return the end of a log, at most what was written since the offset in bytes."""
    try:
        with log.open("rb") as stream:
            stream.seek(offset)
            text = stream.read().decode(errors="replace")
    except OSError:
        return ()
    return tuple(text.splitlines()[-LOG_LINES:])
