"""The whole of an installation, started as `make run` does, in a state directory of its own."""

import json
import os
import re
import signal
import socket
import sys
import time
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, run
from urllib.request import Request, urlopen

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[4]
SECONDS = 180


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(state):
    kept = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    return {
        **kept,
        "CRMIND_STATE_DIR": str(state),
        "EMBEDDING_PROVIDER": "hashing",
        "PYTHONUNBUFFERED": "1",
    }


def serve(state, port):
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    return Popen(command, cwd=ROOT, env=environment(state), stdout=PIPE, stderr=STDOUT, text=True)


def read_until(process, pattern):
    lines = []
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        line = process.stdout.readline()
        if not line:
            break
        lines.append(line)
        if re.search(pattern, line):
            return "".join(lines)
    message = f"{pattern!r} was not printed:\n{''.join(lines)}"
    raise AssertionError(message)


def stop(process):
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    process.stdout.close()
    return process.wait(timeout=60), rest


@pytest.mark.enable_socket
def test_serve__from_nothing_to_an_answer_and_again(tmp_path):
    port = free_port()
    first = serve(tmp_path, port)
    try:
        shown = read_until(first, r"^  1\. ")
        processes = psutil.Process(first.pid).children(recursive=True)
        key = re.search(r"key (\S+)", shown)[1]
        password = re.search(r"user admin   password (\S+)", shown)[1]
        assert f"Admin  http://127.0.0.1:{port}/admin/" in shown
        assert "curl -s" in shown
        assert "Asked: " in shown
        request = Request(
            f"http://127.0.0.1:{port}/api/v1/search/",
            data=json.dumps({"question": "Who runs Hollis Provisions?"}).encode(),
            headers={"Authorization": f"Api-Key {key}", "Content-Type": "application/json"},
        )
        with urlopen(request, timeout=60) as response:
            assert json.load(response)["hits"]
        with urlopen(f"http://127.0.0.1:{port}/admin/", timeout=60) as response:
            assert "username" in response.read().decode()
    finally:
        status, rest = stop(first)
    assert (status, rest.splitlines()[-1]) == (0, "Stopped.")
    assert not [process for process in processes if process.is_running()]

    again = serve(tmp_path, port)
    try:
        shown = read_until(again, r"^  1\. ")
    finally:
        stop(again)
    assert "Loading the demo" not in shown
    assert (key in shown, password in shown) == (True, True)


@pytest.mark.enable_socket
def test_serve__a_busy_port_is_a_clear_message(tmp_path):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        ended = run(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            cwd=ROOT,
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    assert ended.returncode == 1
    assert f"Cannot listen on 127.0.0.1 port {port}" in ended.stderr
    assert "PORT=" in ended.stderr
    assert "Traceback" not in ended.stderr
