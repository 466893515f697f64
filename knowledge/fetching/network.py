"""Connections that go only where the policy allows, each within a deadline.

The name is resolved once, what it gave is checked, and the connection is made to exactly that
address: an answer of the name server that changes afterwards changes nothing. The name itself still
goes into TLS and the Host header.
"""

import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable

import httpcore

from knowledge.fetching.addresses import AddressPolicy, IPAddress
from knowledge.fetching.errors import AddressRefusedError

SocketOptions = Iterable[
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
]


class Deadline:
    """The moment by which everything of one request has to be over."""

    def __init__(self) -> None:
        self._at = float("inf")

    def start(self, seconds: float) -> None:
        """Begin to count."""
        self._at = time.monotonic() + seconds

    def cap(self, timeout: float | None) -> float:
        """Return how long one step may take. Raises httpcore.ReadTimeout when time is up."""
        left = self._at - time.monotonic()
        if left <= 0:
            message = "the whole request took too long"
            raise httpcore.ReadTimeout(message)
        return left if timeout is None else min(timeout, left)


class GuardedBackend(httpcore.NetworkBackend):
    """Opens connections to checked addresses."""

    def __init__(self, policy: AddressPolicy, deadline: Deadline) -> None:
        self._policy = policy
        self._deadline = deadline
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to an address of the host. Raises AddressRefusedError for one not allowed."""
        failure: Exception | None = None
        for address in self._checked_addresses(host, port):
            try:
                stream = self._inner.connect_tcp(
                    str(address),
                    port,
                    timeout=self._deadline.cap(timeout),
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return TimedStream(stream, self._deadline)
        message = "no address of the host answers"
        raise failure or httpcore.ConnectError(message)

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.NetworkStream:
        """Refuse: nothing local is ever fetched."""
        message = "Local sockets are not fetched."
        raise AddressRefusedError(message)

    def _checked_addresses(self, host: str, port: int) -> list[IPAddress]:
        """Return every address of the host; one that is not allowed refuses the host."""
        addresses = _resolve(host, port)
        if not self._policy.allows_host(host):
            for address in addresses:
                if not self._policy.allows(address):
                    message = (
                        f"{host} is refused: it is at {address}, which is not an address of the"
                        " public internet. An operator can allow it: FETCH_ALLOWED_HOSTS."
                    )
                    raise AddressRefusedError(message, field="location")
        return addresses


def _resolve(host: str, port: int) -> list[IPAddress]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        message = f"the name {host} is not known"
        raise httpcore.ConnectError(message) from error
    written = dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found)
    return [ipaddress.ip_address(address) for address in written]


class TimedStream(httpcore.NetworkStream):
    """A connection whose every step ends with the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, timeout=self._deadline.cap(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout=self._deadline.cap(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(
            ssl_context, server_hostname, timeout=self._deadline.cap(timeout)
        )
        return TimedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
