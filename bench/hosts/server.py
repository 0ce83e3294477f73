"""HTTP server on loopback that answers a host's requests with the moves of a scripted model."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from .dialects import Event, find_dialect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .dialects import Reply
    from .model import ScriptedModel

MODELS = {"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []}


class ModelServer(ThreadingHTTPServer):
    """Server of one walk."""

    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        """Listen on a free port of loopback."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address, without a trailing slash."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a host that has closed its connection, which it does when it ends."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextlib.contextmanager
def serve_model(model: ScriptedModel) -> Iterator[ModelServer]:
    """Serve the model until the block ends."""
    with ModelServer(model) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Log nothing."""

    def do_GET(self) -> None:
        self._send_json(MODELS)

    def do_HEAD(self) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        raw = self._read_body()
        path = self.path.partition("?")[0]
        dialect = find_dialect(path)
        if dialect is None:  # a count of tokens, a report of use
            self._send_json({"input_tokens": len(raw) // 4, "totalTokens": len(raw) // 4})
            return
        body = json.loads(raw)
        if "streamGenerateContent" in path:
            body["stream"] = True
        try:
            with self.server.lock:
                move = self.server.model.move(dialect.read(body), len(raw))
        except Exception:
            self.send_error(HTTPStatus.BAD_REQUEST)  # the host ends; without a response it would try again
            raise
        self._send(dialect.write(move, body))

    def _read_body(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        raw = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            raw += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return raw

    def _send(self, reply: Reply) -> None:
        if isinstance(reply, dict):
            self._send_json(reply)
            return
        self._send_text("text/event-stream", "".join(_format_event(event) for event in reply))

    def _send_json(self, document: dict[str, Any]) -> None:
        self._send_text("application/json", json.dumps(document))

    def _send_text(self, kind: str, text: str) -> None:
        raw = text.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _format_event(event: Event) -> str:
    name = f"event: {event.name}\n" if event.name else ""
    return f"{name}data: {event.data}\n\n"
