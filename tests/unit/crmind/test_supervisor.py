import os
import signal
import sys
import textwrap
import time
from contextlib import contextmanager
from subprocess import PIPE, Popen

import psutil
import pytest

SUPERVISED = textwrap.dedent("""
    import sys
    from crmind.supervisor import StopRequested, Supervisor
    child = [sys.executable, "-c", "import time; time.sleep(60)"]
    try:
        with Supervisor({"a": child, "b": child}) as supervisor:
            print("up", flush=True)
            supervisor.watch()
    except StopRequested:
        print("stopped", flush=True)
""")


@contextmanager
def supervised():
    with Popen([sys.executable, "-c", SUPERVISED], stdout=PIPE, text=True) as process:
        assert process.stdout.readline() == "up\n"
        try:
            yield process
        finally:
            process.terminate()


def children(process):
    return {child.pid for child in psutil.Process(process.pid).children()}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_supervisor__a_stop_signal_ends_every_child(number):
    with supervised() as process:
        pids = children(process)
        assert len(pids) == 2
        process.send_signal(number)
        assert process.wait(timeout=20) == 0
        assert process.stdout.read() == "stopped\n"
        assert not [pid for pid in pids if psutil.pid_exists(pid)]


def test_supervisor__a_killed_child_is_started_again():
    with supervised() as process:
        victim = min(children(process))
        os.kill(victim, signal.SIGKILL)
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            now = children(process)
            if len(now) == 2 and victim not in now:
                break
            time.sleep(0.1)
        assert len(now) == 2
        assert victim not in now
