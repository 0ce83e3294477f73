"""A process that serves a guarded application, and plain requests to it."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

APP = Path(__file__).with_name("guarded_app.py")


class Answer(NamedTuple):
    """Answer to a request as it came: the status, the headers in lower case, the body."""

    status: int
    headers: dict[str, str]
    body: str


@dataclass
class ServedApp:
    """The process, and its port."""

    process: subprocess.Popen[str]
    port: int

    @contextlib.contextmanager
    def connect(self) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), 20) as connection:
            yield connection

    def send(self, request: bytes) -> Answer:
        """Send the bytes, and read until the server closes or the body is whole."""
        with self.connect() as connection:
            connection.sendall(request)
            return read_answer(connection)

    def get(self, path: str, *headers: str, host: str = "") -> Answer:
        named = [f"Host: {host or f'127.0.0.1:{self.port}'}", "Connection: close", *headers]
        return self.send("\r\n".join([f"GET {path} HTTP/1.1", *named, "", ""]).encode("latin-1"))

    def post(self, path: str, body: bytes, content_type: str = "application/json") -> Answer:
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n"
            f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return self.send(head.encode() + body)


def read_answer(connection: socket.socket) -> Answer:
    """Read one answer."""
    data = b""
    while not is_whole(data) and (block := connection.recv(65_536)):
        data += block
    head, _, body = data.decode("utf-8", "replace").partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Answer(int(first.split(" ")[1]) if first else 0, headers, body)


def is_whole(data: bytes) -> bool:
    """Return True when the head and as much of the body as it declares have arrived."""
    head, found, body = data.partition(b"\r\n\r\n")
    if not found:
        return False
    declared = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(declared) and len(body) >= int(declared[0].partition(b":")[2])


@contextlib.contextmanager
def serve_app(head_seconds: str) -> Iterator[ServedApp]:
    """Start the application, and kill it at the end."""
    with subprocess.Popen([sys.executable, str(APP), head_seconds], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield ServedApp(process, int(process.stdout.readline().rpartition(":")[2]))
        process.kill()


@pytest.fixture(scope="module")
def served() -> Iterator[ServedApp]:
    with serve_app("1") as app:
        yield app


@pytest.fixture
def fresh() -> Iterator[ServedApp]:
    with serve_app("1") as app:
        yield app


@pytest.fixture
def patient() -> Iterator[ServedApp]:
    with serve_app("60") as app:
        yield app
