"""Whatever comes down the wire, the client gets an answer and the server lives on."""

from __future__ import annotations

import json
from typing import Any


def request(identifier: Any, method: str, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}


def nested(depth: int) -> bytes:
    """A call of aurora_query whose argument is nested so deep; the id stands after it, as JSON allows."""
    deep = b"[" * depth + b"]" * depth
    start = b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"aurora_query","arguments":{"phase":"assess",'
    return start + b'"query":' + deep + b'}},"id":"deep"}'


LINES = [
    (b"not json at all", None, -32700),
    (b'{"jsonrpc":"2.0","id":31,"method":"tools/list"', 31, -32700),
    (b'{"jsonrpc":"2.0","id":"a\\"b","method":"tools/call","params":{"name":}}', 'a"b', -32700),
    (b'{"nested":{"id":5},"id":6,"jsonrpc":"2.0"', 6, -32700),
    (b'{"text":"\\"id\\": 4","id":7,"jsonrpc":"2.0",,}', 7, -32700),
    (b'{"jsonrpc":"1.0","id":8,"method":"tools/list"}', 8, -32600),
    (b'{"id":9}', 9, -32600),
    (b'{"jsonrpc":"2.0","id":10,"method":["tools/list"]}', 10, -32600),
    (b'{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', None, -32600),
    (b"[1,2,3]", None, -32600),
    (b"42", None, -32600),
    (b"null", None, -32600),
    (b'{"jsonrpc":"2.0","id":11,"method":"tools/list","params":[]}', 11, -32600),
    (b'{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"aurora_search","arguments":[]}}', 12, -32602),
    (b'{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":5}}', 13, -32602),
    (b"\xff\xfe\x00", None, -32700),
    (nested(10_000), "deep", -32700),
]


def test_a_line_that_is_no_message_is_answered_with_its_id_and_the_server_goes_on(project: Any) -> None:
    server = project.serve().shake_hands()
    for line, identifier, code in LINES:
        server.send(line)
        answer = server.receive()
        assert (answer["id"], answer["error"]["code"]) == (identifier, code), line[:80]
        assert answer["error"]["data"]["error"]["code"] == "INVALID_INPUT"
    server.send(request(99, "tools/list", {}))
    assert len(server.answer(99)["result"]["tools"]) == 3
    assert server.close() == 0


def test_a_bad_line_before_the_handshake_is_answered_too(project: Any) -> None:
    server = project.serve()
    server.send(b"{")
    assert server.receive()["error"]["code"] == -32700
    server.shake_hands()
    assert server.close() == 0


def test_an_argument_too_deep_or_too_large_is_refused_and_the_next_call_is_answered(project: Any) -> None:
    server = project.serve().shake_hands()
    server.send(nested(120))
    server.call(1, "aurora_query", {"phase": "assess", "query": "x" * 10_000_000})
    for identifier, said in (("deep", "nested"), (1, "1 MB")):
        refused = server.answer(identifier)["result"]
        assert refused["isError"] is True
        assert refused["structuredContent"]["error"]["code"] == "INVALID_INPUT"
        assert said in refused["structuredContent"]["error"]["message"]
    server.send(b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"x":"' + b"y" * 40_000_000 + b'"}}')
    answer = server.receive()
    assert answer["id"] == 77
    assert "larger than" in answer["error"]["message"]
    server.call(2, "aurora_search", {"query": "CliRunner"})
    assert server.answer(2)["result"]["isError"] is False


SENSELESS: list[tuple[str, Any]] = [
    ("tools/nothing", {}),
    ("tools/call", {}),
    ("tools/call", {"name": 5}),
    ("tools/call", {"name": "aurora_search", "arguments": "query"}),
    ("tools/list", {"cursor": {}}),
    ("resources/read", {"uri": "file:///etc/passwd"}),
    ("", {}),
]


def test_a_request_that_makes_no_sense_gets_a_protocol_error(project: Any) -> None:
    server = project.serve().shake_hands()
    for number, (method, params) in enumerate(SENSELESS):
        server.send(request(number, method, params))
        assert server.answer(number)["error"]["code"] in {-32600, -32601, -32602}, method
    server.send(request(99, "ping", {}))
    assert server.answer(99)["result"] == {}


def test_blank_lines_windows_line_ends_and_a_last_line_without_an_end_do_no_harm(project: Any) -> None:
    server = project.serve().shake_hands()
    server.send(b"")
    server.send(b"   \r")
    server.send(json.dumps(request(1, "ping", {})).encode() + b"\r")
    assert server.answer(1)["result"] == {}
    server.end_input(b'{"jsonrpc":"2.0","id":2,"method":"nonsense')
    assert server.receive()["id"] == 2
