"""Names of requests: equal for what gets equal answers, in each era of the protocol, and none for everything else."""

from __future__ import annotations

from typing import Any

import pytest

from aurora.faults.environment import VARIABLES
from aurora.startup import Dialogue, StartKey
from aurora.startup.key import find_cache_folder, is_server_command
from aurora.startup.line import MAX_LINE_BYTES, parse_line

CLIENT = {"name": "hand", "version": "1"}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
ENVELOPE = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": CLIENT}


def name(*requests: tuple[str, Any]) -> tuple[str, str] | None:
    """Name the last of these requests of one dialogue."""
    dialogue = Dialogue()
    found = [dialogue.name_request(*request) for request in requests][-1]
    return None if found is None else (found.scope, found.name)


def test_a_list_is_named_by_the_handshake_before_it() -> None:
    first = name(("initialize", HELLO), ("tools/list", None))
    assert first is not None
    assert first == name(("initialize", HELLO), ("tools/list", {}))
    assert first == name(("initialize", HELLO), ("tools/list", {"_meta": {"progressToken": 1, "traceparent": "a"}}))
    assert first == name(("initialize", {**HELLO, "clientInfo": {"name": "x", "version": "y"}}), ("tools/list", {}))
    assert first != name(("initialize", {**HELLO, "protocolVersion": "2025-06-18"}), ("tools/list", {}))
    assert first != name(("initialize", {**HELLO, "capabilities": {"roots": {}}}), ("tools/list", {}))
    assert first != name(("initialize", HELLO), ("tools/list", {"cursor": "x"}))


def test_a_request_of_the_stateless_era_is_named_by_its_own_envelope() -> None:
    first = name(("server/discover", {"_meta": ENVELOPE}), ("tools/list", {"_meta": ENVELOPE}))
    assert first is not None
    assert first == name(("tools/list", {"_meta": {**ENVELOPE, "progressToken": "x"}}))
    assert first != name(("tools/list", {"_meta": {**ENVELOPE, "io.modelcontextprotocol/logLevel": "debug"}}))


@pytest.mark.parametrize(
    "requests",
    [
        [("tools/list", None)],
        [("tools/list", None), ("initialize", HELLO)],
        [("initialize", HELLO), ("initialize", HELLO)],
        [("initialize", HELLO), ("initialize", HELLO), ("tools/list", None)],
        [("initialize", HELLO), ("tools/list", {"_meta": ENVELOPE})],
        [("initialize", HELLO), ("tools/call", {"name": "aurora_get"})],
        [("initialize", {**HELLO, "_meta": ENVELOPE})],
        [("initialize", {**HELLO, "clientInfo": 5})],
        [("initialize", {**HELLO, "clientInfo": {"name": "\ud800"}})],
        [("initialize", {**HELLO, "capabilities": {"experimental": "x" * 10_000}})],
        [("initialize", {**HELLO, "capabilities": float("nan")})],
        [("server/discover", {"_meta": ENVELOPE}), ("initialize", HELLO)],
        [("server/discover", {"_meta": ENVELOPE}), ("tools/list", None)],
        [("initialize", HELLO), ("tools/list", {"_meta": []})],
        [("initialize", HELLO), ("tools/list", {"_meta": {"progressToken": None}})],
        [("initialize", HELLO), ("tools/list", {"_meta": {"traceparent": 5}})],
    ],
    ids=str,
)
def test_what_only_the_server_judges_has_no_name(requests: list[tuple[str, Any]]) -> None:
    assert name(*requests) is None


@pytest.mark.parametrize(
    ("line", "identifier"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', "1"),
        (b'{"jsonrpc":"2.0","id":-7,"method":"ping"}\r', "-7"),
        (b'{"jsonrpc":"2.0","id":"a\\"b\\\\","method":"ping","params":{}}', '"a\\"b\\\\"'),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', ""),
    ],
)
def test_a_plain_line_is_parsed(line: bytes, identifier: str) -> None:
    parsed = parse_line(line)
    assert parsed is not None
    assert parsed.id == identifier


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b"[" * 60_000,
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}',
        b'{"jsonrpc":"2.0","id":1,"method":5}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":"","method":"ping"}',
        b'{"jsonrpc":"2.0","id":"\\u00e4","method":"ping"}',
        b'{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}' + b" " * MAX_LINE_BYTES,
    ],
    ids=lambda line: line[:60].decode(errors="replace"),
)
def test_any_other_line_is_left_to_the_server(line: bytes) -> None:
    assert parse_line(line) is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("mcp", True),
        ("--project x mcp --toolsets all", True),
        ("--read-only mcp", True),
        ("mem search mcp", False),
        ("--project mcp doctor", False),
        ("mcp --help", False),
        ("", False),
    ],
)
def test_the_command_of_a_server_is_recognized(words: str, *, expected: bool) -> None:
    assert is_server_command(words.split()) is expected


def test_the_folder_of_the_caches_is_that_of_the_system() -> None:
    assert find_cache_folder({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "linux") == "/c/aurora/start"
    assert find_cache_folder({"XDG_CACHE_HOME": "c", "HOME": "/h"}, "linux") == "/h/.cache/aurora/start"
    assert find_cache_folder({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "darwin") == "/h/Library/Caches/aurora/start"
    assert find_cache_folder({"HOME": "h"}, "linux") is None


def test_every_variable_of_aurora_is_in_the_key_and_no_other_text_of_the_environment_is_kept() -> None:
    environ = {"HOME": "/h", "AURORA_SECRET": "s", "TOKEN": "t", **dict.fromkeys(VARIABLES, "x")}
    assert StartKey.from_process(["mcp"], environ) is None  # a cache would keep the password of the server
    del environ["AURORA_DATABASE"]
    key = StartKey.from_process(["mcp"], environ)
    assert key is not None
    assert set(key.fields["environ"]) == {"HOME", *VARIABLES} - {"AURORA_DATABASE"}
