"""Processes that use a server, as tests drive them."""

import signal
import subprocess
import sys
from pathlib import Path

from crmind.postgres.cluster import server_pids
from crmind.postgres.layout import find_layout, server_lock_path
from crmind.postgres.locks import is_held
from crmind.postgres.startup import wait_until

PROJECT = Path(__file__).parents[4]

HOLD = """
import sys
from pathlib import Path
from crmind.postgres import server
address = server.ensure_running(Path(sys.argv[1]), database="crmind")
print(address.host, flush=True)
sys.stdin.readline()
"""


class Client:
    """A process that runs a script with the server's directory as argument."""

    def __init__(self, directory: Path, script: str = HOLD) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", script, str(directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=PROJECT,
            start_new_session=True,
        )

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_exception: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=20)
        self.process.stdin.close()
        self.process.stdout.close()

    def says(self) -> str:
        return self.process.stdout.readline().strip()

    def finish(self) -> int:
        """Let the script go on to its end, and return its exit status."""
        self.process.stdin.close()
        return self.process.wait(timeout=20)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=20)


def runs(directory: Path) -> bool:
    return is_held(server_lock_path(directory))


def stops(directory: Path) -> bool:
    """Wait for the server's last process to end."""
    return wait_until(lambda: not runs(directory), 20)


def pids(directory: Path) -> list[int]:
    return server_pids(find_layout(directory).cluster)
