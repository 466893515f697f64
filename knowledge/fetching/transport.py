"""The way requests take: httpx in front, guarded connections behind."""

from collections.abc import Iterator
from contextlib import closing

import httpcore
import httpx

from knowledge.fetching.network import GuardedBackend

CONNECTIONS_AT_ONCE = 4
KEPT_SECONDS = 15.0


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: httpcore.ConnectionPool | object) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream  # type: ignore[misc] # the library types it as a union with async

    def close(self) -> None:
        closing(self._stream).__exit__(None, None, None)  # type: ignore[type-var] # as above


class GuardedTransport(httpx.BaseTransport):
    """Sends requests over connections that the address guard has opened."""

    def __init__(self, backend: GuardedBackend) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            max_connections=CONNECTIONS_AT_ONCE,
            keepalive_expiry=KEPT_SECONDS,
            network_backend=backend,
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; errors are those of httpcore."""
        response = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response.stream),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._pool.close()
