"""Requests to a guarded application: which are refused, with what, and which cookie is found."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.http.guard import find_cookie
from tests.growth import is_linear

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Answer, ServedApp


def read_error(answer: Answer) -> dict[str, Any]:
    """Return Aurora's error of a refusal, which is an error of JSON-RPC without an id."""
    body = json.loads(answer.body)
    assert body["id"] is None
    assert body["error"]["message"] == body["error"]["data"]["error"]["message"]
    error: dict[str, Any] = body["error"]["data"]["error"]
    return error


@pytest.mark.parametrize("host", ["127.0.0.1:{}", "localhost:{}", "LOCALHOST:{}", "[::1]:{}", "aurora.example.org"])
def test_the_servers_own_names_are_answered(served: ServedApp, host: str) -> None:
    answer = served.get("/path", host=host.format(served.port))
    assert (answer.status, answer.body) == (200, "/path")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert "server" not in answer.headers


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:{}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:{}.evil.example",
        "localhost.:{}",
        "aurora.example.org:8443",
        "aurora.example.org.",
        "0.0.0.0:{}",
        "127.0.0.1:{}@evil.example",
        "\u00b9",
    ],
)
def test_another_host_is_refused(served: ServedApp, host: str) -> None:
    answer = served.get("/path", host=host.format(served.port))
    assert answer.status in {421, 400}  # 400 for what is no host at all
    if answer.status == 421:
        assert read_error(answer)["code"] == "FORBIDDEN"
        assert "https://aurora.example.org" in read_error(answer)["help"]


@pytest.mark.parametrize("head", ["", "Host: 127.0.0.1:{0}\r\nHost: 127.0.0.1:{0}\r\n"])
def test_a_request_needs_one_host(served: ServedApp, head: str) -> None:
    answer = served.send(f"GET / HTTP/1.1\r\n{head.format(served.port)}Connection: close\r\n\r\n".encode())
    assert answer.status in {400, 421}


def test_an_absolute_target_does_not_replace_the_host(served: ServedApp) -> None:
    target = f"http://127.0.0.1:{served.port}/path"
    answer = served.send(f"GET {target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n".encode())
    assert answer.status == 421


@pytest.mark.parametrize("origin", ["http://127.0.0.1:{}", "http://localhost:{}", "https://aurora.example.org"])
def test_the_servers_own_pages_are_answered(served: ServedApp, origin: str) -> None:
    assert served.get("/", f"Origin: {origin.format(served.port)}").status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://127.0.0.1:1",
        "https://127.0.0.1:{}",
        "http://aurora.example.org",
        "https://aurora.example.org.evil.example",
        "file://",
    ],
)
def test_a_page_of_another_site_is_refused(served: ServedApp, origin: str) -> None:
    answer = served.get("/", f"Origin: {origin.format(served.port)}")
    assert answer.status == 403
    assert read_error(answer)["code"] == "FORBIDDEN"
    assert served.get("/", "Origin: http://localhost:1", f"Origin: http://127.0.0.1:{served.port}").status == 403


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/x-www-form-urlencoded", "application/jsonp"])
def test_a_body_of_another_type_is_refused(served: ServedApp, content_type: str) -> None:
    answer = served.post("/", b"{}", content_type)
    assert answer.status == 415
    assert "application/json" in read_error(answer)["help"]
    assert served.post("/", b"{}", "Application/JSON; charset=utf-8").status == 200


def test_a_large_body_is_refused(served: ServedApp) -> None:
    assert served.post("/", b"x" * 1000).body == "/" + "x" * 1000
    answer = served.post("/", b"x" * 1001)
    assert (answer.status, read_error(answer)["code"]) == (413, "INVALID_INPUT")
    head = (
        f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    chunks = ("64\r\n" + "x" * 100 + "\r\n") * 11
    assert served.send((head + chunks).encode()).status == 413


@pytest.mark.parametrize("size", [1_000_000, 40_000_000])
def test_a_client_that_sends_too_much_reads_why_it_is_refused(served: ServedApp, size: int) -> None:
    answer = served.post("/", b"x" * size)
    assert (answer.status, read_error(answer)["code"]) == (413, "INVALID_INPUT")


def test_a_client_that_asks_before_it_sends_is_refused_at_once(served: ServedApp) -> None:
    head = (
        f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Type: application/json\r\n"
        "Content-Length: 5000\r\nExpect: 100-continue\r\n\r\n"
    )
    assert served.send(head.encode()).status == 413  # where the rest is waited for, the answer is 408


def test_a_body_that_does_not_arrive_is_not_waited_for(served: ServedApp) -> None:
    head = (
        f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Type: application/json\r\n"
        "Content-Length: 10\r\n\r\nx"
    )
    answer = served.send(head.encode())
    assert (answer.status, read_error(answer)["code"]) == (408, "TIMEOUT")


@pytest.mark.parametrize("query", ["access_token=x", "a=1&TOKEN=x", "token", "%61ccess_token=x"])
def test_a_token_in_the_address_is_refused(served: ServedApp, query: str) -> None:
    answer = served.get(f"/?{query}")
    assert answer.status == 400
    assert "Authorization" in read_error(answer)["help"]


def test_a_client_that_asks_too_often_is_told_when_to_come_back(served: ServedApp) -> None:
    answers = [served.get("/limited") for _ in range(4)]
    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[3].headers["retry-after"]) <= 20
    assert read_error(answers[3])["code"] == "RATE_LIMITED"


def test_a_load_balancer_may_ask_by_address(served: ServedApp) -> None:
    assert served.get("/healthz", host="10.1.2.3").body == "/healthz"


def test_an_error_of_the_application_shows_no_inside(served: ServedApp) -> None:
    answer = served.get("/bug")
    assert (answer.status, read_error(answer)["code"]) == (500, "INTERNAL_ERROR")
    assert "secret" not in answer.body


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"GET / HTTP/1.1\r\nHost : 127.0.0.1:{port}\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: " + b"x" * 40_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n" + b"X: y\r\n" * 8_000 + b"\r\n",
    ],
    ids=["both lengths", "two lengths", "blank", "NUL", "TLS", "a large header", "many headers"],
)
def test_a_smuggled_or_huge_head_ends_the_connection(served: ServedApp, request_: bytes) -> None:
    with served.connect() as connection:
        data = b""
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):  # closed before all of it was read
            connection.sendall(request_.replace(b"{port}", str(served.port).encode()))
            connection.sendall(b"GET /second HTTP/1.1\r\n\r\n")
            while block := connection.recv(65_536):
                data += block
    assert data.startswith((b"HTTP/1.1 400", b"HTTP/1.1 431")) or not data
    assert data.count(b"HTTP/1.1 ") <= 1  # the rest of the bytes is no second request


def make_scope(*cookies: str) -> dict[str, Any]:
    return {"type": "http", "headers": [(b"host", b"x"), *((b"cookie", one.encode("latin-1")) for one in cookies)]}


@pytest.mark.parametrize(
    ("headers", "value"),
    [
        (["aurora=1"], "1"),
        (["first=0; aurora=1; last=2"], "1"),
        (["first=0;aurora=1 ;last=2"], "1"),
        (["first=0", "aurora=1"], "1"),
        (["aurora=1; aurora=2", "aurora=3"], "1"),
        (["aurora=a=b=="], "a=b=="),
        (["aurora="], ""),
        (['aurora="1"'], '"1"'),
        (["aurora=\xe9"], "\xe9"),
        ([], None),
        ([""], None),
        (["aurora"], None),
        (["Aurora=1; aurora2=1; xaurora=1; aurora =1"], None),
        (["=1; ;;=; \x00aurora=1"], None),
    ],
)
def test_the_first_cookie_of_exactly_this_name_is_found(headers: list[str], value: str | None) -> None:
    assert find_cookie(make_scope(*headers), "aurora") == value


@pytest.mark.parametrize("make", [lambda n: 'a="' + "\\" * n + '"', lambda n: "a;" * n, lambda n: "=;\\" * n])
def test_a_hostile_header_takes_linear_time(make: Callable[[int], str]) -> None:
    assert is_linear(lambda text: find_cookie(make_scope(text), "aurora"), make(100_000), make(800_000))
