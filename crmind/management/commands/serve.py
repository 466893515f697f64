"""Runs the whole of a local installation: web server and queue worker."""

import json
import os
import socket
import sys
import time
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from crmind.bootstrap import Credentials, ensure_credentials, prepare_database
from crmind.demonstration import render_answer
from crmind.supervisor import StopRequested, Supervisor
from knowledge.demo.catalogue import load_catalogue
from knowledge.services.warming import warm_search

START_SECONDS = 60.0
ANSWER_SECONDS = 120.0

# Most threads may wait for an answer somebody else gives; only so many work.
THREADS = 128
WORKED_ON_AT_ONCE = 8


class Command(BaseCommand):
    """`manage.py serve`: prepares, starts and supervises until Ctrl-C."""

    help = "Prepare the database, then run the web server and the queue worker until Ctrl-C."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address to serve at."""
        parser.add_argument("--host", default="127.0.0.1", help="Address to listen on.")
        parser.add_argument("--port", type=int, default=8000, help="Port to listen on.")
        parser.add_argument(
            "--threads", type=int, default=THREADS, help="Requests held at once, waiting or not."
        )

    def handle(self, *args: Any, host: str, port: int, threads: int, **options: Any) -> None:
        """Prepare, start, show how to use it, and watch."""
        _check_settings()
        _check_port(host, port)
        prepare_database(report=self.stderr.write)
        warm_search()
        credentials = ensure_credentials()
        address = f"http://{_reachable(host)}:{port}"
        commands = {
            "web server": _web_command(host, port, threads),
            "queue worker": [sys.executable, "manage.py", "qcluster"],
        }
        os.chdir(settings.BASE_DIR)
        # Those that wait for an answer must leave threads for whoever is about to store it.
        os.environ.setdefault("CACHE_MAX_WAITING", str(max(1, threads * 7 // 8)))
        os.environ.setdefault("REQUESTS_AT_ONCE", str(WORKED_ON_AT_ONCE))
        try:
            with Supervisor(commands) as supervisor:
                self.stderr.write("Starting the web server and the queue worker ...")
                _wait_until_ready(address, supervisor)
                self._introduce(address, credentials)
                supervisor.watch()
        except StopRequested:
            self.stderr.write("Stopped.")

    def _introduce(self, address: str, credentials: Credentials) -> None:
        question = load_catalogue().questions[0].text
        password = credentials.password or "(the one you set)"
        body = json.dumps({"question": question, "top_k": 3})
        curl = (
            f"curl -s {address}/api/v1/search/ -H 'Authorization: Api-Key {credentials.api_key}'"
            f" -H 'Content-Type: application/json' -d '{body}'"
        )
        lines = [
            "",
            "CRMind is running. Ctrl-C stops it.",
            "",
            f"  Admin  {address}/admin/   user {credentials.user}   password {password}",
            f"  API    {address}/api/v1/   key {credentials.api_key}",
            f"  Docs   {address}/api/docs/",
            "",
            f"Try:\n  {curl}",
            "",
            f"Asked: {question}",
        ]
        self.stdout.write("\n".join(lines))
        self.stdout.write("\n".join(render_answer(_ask(address, credentials.api_key, body))))
        self.stdout.flush()


def _check_settings() -> None:
    if settings.SECURE_SSL_REDIRECT:
        message = (
            "HTTPS is set, but this server speaks plain HTTP. Unset it to try CRMind here; behind a"
            " proxy run gunicorn and qcluster as docs/how-to/operate.md shows."
        )
        raise CommandError(message)


def _check_port(host: str, port: int) -> None:
    try:
        family, kind, protocol, _, target = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(target)
    except (OSError, OverflowError) as error:
        message = (
            f"Cannot listen on {host} port {port} ({error}). Stop the program that uses it,"
            " or choose another: make run PORT=8001 (manage.py serve --port 8001)."
        )
        raise CommandError(message) from error


def _reachable(host: str) -> str:
    if host in {"0.0.0.0", "::"}:  # noqa: S104 # compared, not bound
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _web_command(host: str, port: int, threads: int) -> list[str]:
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return [
        *(sys.executable, "-m", "gunicorn", "crmind.wsgi"),
        *("--bind", bind, "--workers", "1", "--threads", str(threads)),
        *("--timeout", "120", "--graceful-timeout", "10", "--log-level", "warning"),
    ]


def _wait_until_ready(address: str, supervisor: Supervisor) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if supervisor.has_ended("web server"):
            message = "The web server ended while starting; its messages are above."
            raise CommandError(message)
        try:
            with urlopen(_request(f"{address}/readyz"), timeout=5):  # noqa: S310 # our own address
                return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    message = f"The web server did not answer at {address} within {START_SECONDS:.0f} seconds."
    raise CommandError(message)


def _ask(address: str, key: str, body: str) -> dict[str, Any]:
    request = _request(f"{address}/api/v1/search/", data=body.encode())
    request.add_header("Authorization", f"Api-Key {key}")
    request.add_header("Content-Type", "application/json")
    with urlopen(request, timeout=ANSWER_SECONDS) as response:  # noqa: S310 # as above
        answer: dict[str, Any] = json.load(response)
    return answer


def _request(address: str, data: bytes | None = None) -> Request:
    """Return a request under a host name that the settings allow."""
    request = Request(address, data=data)  # noqa: S310 # our own address
    names = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"]
    if names and urlsplit(address).hostname not in names:
        request.add_header("Host", names[0])
    return request
