"""A real web server on this machine that behaves as a test wants it to."""

import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = "<html><head><title>{title}</title></head><body><article>{text}</article></body></html>"


class Website:
    """Answers by path; a page is bytes, a status, or a function that writes to the handler."""

    def __init__(self, host="127.0.0.1"):
        self.pages = {}
        self.headers = {}
        self.hits = Counter()
        self.answers = {}
        self.requests = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                site.answer(self)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer((host, 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.host = host
        self.url = f"http://{host}:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def answer(self, handler):
        self.hits[handler.path] += 1
        self.requests.append((handler.path, dict(handler.headers)))
        page = self.pages.get(handler.path, 404)
        if callable(page):
            page = page(handler)
            if page is None:
                return
        headers = dict(self.headers.get(handler.path, {}))
        known = handler.headers.get("If-None-Match"), handler.headers.get("If-Modified-Since")
        told = headers.get("ETag"), headers.get("Last-Modified")
        if any(mine and mine == theirs for mine, theirs in zip(told, known, strict=True)):
            page = 304
        status, body = (page, b"") if isinstance(page, int) else (200, page)
        body = body.encode() if isinstance(body, str) else body
        handler.send_response(headers.pop("status", status))
        self.answers[handler.path] = status
        headers.setdefault("Content-Type", "text/html; charset=utf-8")
        if status != 304:
            headers.setdefault("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def page(self, path, title="", text="", **headers):
        """Put a page at a path and return its address."""
        self.pages[path] = PAGE.format(title=title, text=text)
        self.headers[path] = headers
        return self.url + path

    def redirect(self, path, target):
        """Send readers of a path elsewhere and return its address."""
        self.pages[path] = b""
        self.headers[path] = {"status": 302, "Location": target}
        return self.url + path

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def website():
    """Run a web server for the time of a test."""
    with Website() as site:
        yield site
