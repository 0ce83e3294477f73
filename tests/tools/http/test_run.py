"""The end of a server, and connections that only take up room."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING

import pytest

from aurora.errors import Fault
from aurora.tools.http.address import ListenAddress, ServerIdentity, bind_socket, parse_listen_address
from aurora.tools.http.run import MAX_CONNECTIONS

from .conftest import read_answer

if TYPE_CHECKING:
    from .conftest import ServedApp


def test_sigterm_finishes_what_runs_takes_nothing_new_and_exits_0(fresh: ServedApp) -> None:
    assert fresh.process.stdout is not None
    with fresh.connect() as connection:
        connection.sendall(f"GET /slow HTTP/1.1\r\nHost: 127.0.0.1:{fresh.port}\r\n\r\n".encode())
        assert fresh.process.stdout.readline() == "slow\n"
        fresh.process.send_signal(signal.SIGTERM)
        answer = read_answer(connection)
    assert (answer.status, answer.body) == (200, "/slow")
    assert fresh.process.wait(20) == 0
    assert fresh.process.stdout.read() == "closed\nended\n"
    with pytest.raises(ConnectionRefusedError):
        fresh.get("/")


def test_a_silent_connection_is_closed(served: ServedApp) -> None:
    with served.connect() as silent, served.connect() as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        for connection in (silent, slow):
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(10) == b""


def test_silent_connections_do_not_shut_out_who_asks(patient: ServedApp) -> None:
    with contextlib.ExitStack() as silent:
        for _ in range(MAX_CONNECTIONS + 100):
            silent.enter_context(patient.connect())
        answers = [patient.get("/healthz").status for _ in range(20)]
    assert answers == [200] * 20


def test_a_second_request_that_arrives_slowly_is_not_waited_for(served: ServedApp) -> None:
    with served.connect() as connection:
        connection.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode())
        assert read_answer(connection).status == 200
        connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(10) == b""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:8080", ("127.0.0.1", 8080)),
        ("8080", ("127.0.0.1", 8080)),
        (":8080", ("127.0.0.1", 8080)),
        ("localhost", ("localhost", 7)),
        ("[::1]:8080", ("::1", 8080)),
        ("::1", ("::1", 7)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),  # noqa: S104 - parsed, not bound
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, expected: tuple[str, int]) -> None:
    assert parse_listen_address(text, 7) == expected


@pytest.mark.parametrize("text", ["127.0.0.1:x", "127.0.0.1:70000", "a b:1", "http://127.0.0.1:1", "user@host:1"])
def test_another_text_is_no_address(text: str) -> None:
    with pytest.raises(Fault, match="is not an address"):
        parse_listen_address(text)


def test_a_taken_port_is_said_with_what_to_do() -> None:
    with bind_socket(ListenAddress("127.0.0.1", 0)) as taken, pytest.raises(Fault) as caught:
        bind_socket(ListenAddress(*taken.getsockname()))
    assert caught.value.code == "CONFLICT"
    assert "port 0 takes a free one" in caught.value.help


@pytest.mark.parametrize("url", ["aurora.example.org", "ftp://x", "https://x/path", "https://u@x", "https://x:y", ""])
def test_a_public_url_is_the_root_of_a_site(url: str) -> None:
    address = ListenAddress("127.0.0.1", 8080)
    if not url:
        assert ServerIdentity.from_address(address, url).url == "http://127.0.0.1:8080"
        return
    with pytest.raises(Fault, match="public URL"):
        ServerIdentity.from_address(address, url)
