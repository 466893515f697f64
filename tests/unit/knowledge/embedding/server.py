"""A real server of embeddings on this computer, which misbehaves on demand."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from knowledge.embedding.hashing import HashingEmbedder

DIMENSIONS = 16
MODEL = "tiny-embed"
KEY = "sk-very-secret-key-1234"

Behaviour = Callable[["Handler", dict[str, Any]], None]


@dataclass
class EmbeddingServer:
    """Answers each request as the next of `script` says, then as it should."""

    script: list[Behaviour] = field(default_factory=list)
    always: Behaviour | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def __enter__(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        owner.requests.append({"path": self.path, **body})
        owner.keys.append(self.headers.get("Authorization", ""))
        behave = owner.script.pop(0) if owner.script else owner.always or right
        try:
            behave(self, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def answer(self, status, content, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Keep quiet."""


def vectors(texts, dimensions=DIMENSIONS):
    made = HashingEmbedder(dimensions=dimensions).embed_passages(texts)
    return [[float(number) for number in vector] for vector in made]


def reply(rows, model=MODEL):
    data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
    return {"object": "list", "model": model, "data": data, "usage": {"total_tokens": 1}}


def right(handler, body):
    rows = vectors(body["input"], body.get("dimensions", DIMENSIONS))
    handler.answer(200, json.dumps(reply(rows)).encode())


def changed(change):
    """Answer with rows and model as `change` makes them of the right ones."""

    def behave(handler, body):
        answer = reply(vectors(body["input"]))
        change(answer)
        handler.answer(200, json.dumps(answer).encode())

    return behave


def fails(status, text="broken", **headers):
    return lambda handler, _body: handler.answer(status, text.encode(), **headers)


def html(handler, _body):
    handler.answer(200, b"<html><title>Sign in</title></html>", Content_Type="text/html")


def half_a_body(handler, body):
    content = json.dumps(reply(vectors(body["input"]))).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.close_connection = True


def hangs(handler, _body):
    """Answer nothing until the server ends."""
    handler.server.owner.closing.wait(30)
    handler.close_connection = True


def drips(handler, _body):
    """Send a byte now and then, which no timeout of a single read notices."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.owner.closing.wait(0.02):
        handler.wfile.write(b" ")


def hangs_up(handler, _body):
    handler.close_connection = True
