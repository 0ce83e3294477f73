"""A second start answers from the cache of the first: the same bytes, before the server is loaded, in both eras."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from aurora.hosts.probe import _MESSAGES

if TYPE_CHECKING:
    from aurora.hosts import ProtocolEra

OWN_MODULES = ("aurora", "__editable__")


def test_the_answers_are_the_same_bytes_and_nothing_is_loaded_for_them(starts: Any, mode: str) -> None:
    first = starts.start(*starts.ask_lists(mode))
    second = starts.start(*starts.ask_lists(mode))
    assert (first.is_quick, second.is_quick) == (False, True)
    assert second.answers == first.answers
    assert len(first.answers) == len(starts.ask_lists(mode)) - (mode == "legacy")
    assert (second.code, second.log) == (0, "")


def test_only_the_standard_library_is_imported(warm: Any, mode: str) -> None:
    modules = warm.start(*warm.ask_lists(mode)).modules
    begun = modules.index("site")
    foreign = [
        name
        for name in modules[begun:]
        if name.partition(".")[0] not in sys.stdlib_module_names and not name.startswith(OWN_MODULES)
    ]
    assert foreign == []
    own = {name for name in modules if name.startswith("aurora.")}
    assert {name for name in own if not name.startswith("aurora.startup")} == {"aurora.cli", "aurora.cli.entry"}
    assert not {"threading", "pathlib", "typing", "dataclasses"} & set(modules[begun:])


def test_a_host_that_asks_only_for_tools_has_the_other_lists_kept_too(starts: Any) -> None:
    starts.start(*starts.shake_hands(), starts.make_request(1, "tools/list"))
    second = starts.start(*starts.shake_hands(), starts.make_request(1, "prompts/list"), starts.make_request(2, "ping"))
    assert second.is_quick
    assert second.result(2) == {}


def test_the_id_of_a_request_is_that_of_its_answer(warm: Any, mode: str) -> None:
    lines = warm.ask_lists(mode)
    for number, line in enumerate(line for line in lines if "id" in line):
        line["id"] = number if number % 2 else f"request {number}"
    found = warm.start(*lines)
    assert found.is_quick
    assert set(found.answers) == {line["id"] for line in lines if "id" in line}


@pytest.mark.parametrize("mode", ["legacy"])
def test_another_version_of_the_host_is_answered_from_the_same_cache(warm: Any) -> None:
    lines = warm.ask_lists("legacy")
    lines[0]["params"]["clientInfo"] = {"name": "other", "version": "99.1"}
    lines[2]["params"] = {"_meta": {"progressToken": 7}}
    assert warm.start(*lines).is_quick


@pytest.mark.parametrize("mode", ["legacy"])
@pytest.mark.parametrize("changed", [{"version": "2025-06-18"}, {"elicitation": {}}], ids=["version", "capability"])
def test_a_handshake_that_was_not_seen_before_is_answered_by_the_server_and_kept(
    warm: Any, changed: dict[str, Any]
) -> None:
    lines = [*warm.shake_hands(**changed), warm.make_request(1, "tools/list")]
    unseen = warm.start(*lines)
    assert not unseen.is_quick
    again = warm.start(*lines)
    assert again.is_quick
    assert again.answers == unseen.answers
    assert warm.start(*warm.ask_lists("legacy")).is_quick, "the first handshake is kept, too"


def test_both_eras_are_kept_next_to_each_other(starts: Any) -> None:
    for mode in ("legacy", "auto"):
        assert not starts.start(*starts.ask_lists(mode)).is_quick
    for mode in ("legacy", "auto"):
        assert starts.start(*starts.ask_lists(mode)).is_quick


ODD_LINES = (
    b"\n",
    b"{not json\n",
    b"[]\n",
    b'{"jsonrpc":"2.0","id":1,"method":"no/such"}\n',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":2,"method":"ping","params":[]}\n',
    b'{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":5}}\n',
    b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"long":"' + b"x" * 2_000_000 + b'"}}\n',
    b'\xff\xfe{"jsonrpc":"2.0","id":5,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":6,"method":"initialize","params":' + b"[" * 90_000 + b"\n",
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"no_such"}}\n',
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}\n',
)


@pytest.mark.parametrize("mode", ["legacy"])
@pytest.mark.parametrize("is_first", [False, True])
def test_other_lines_are_answered_as_without_a_cache(warm: Any, *, is_first: bool) -> None:
    lists = warm.ask_lists("legacy")
    lines = [*ODD_LINES, *lists] if is_first else [*lists, *ODD_LINES]
    found = warm.start(*lines)
    warm.cache.unlink()
    expected = warm.start(*lines)
    assert sorted(found.lines) == sorted(expected.lines)
    assert found.code == expected.code


@pytest.mark.parametrize("mode", ["legacy"])
def test_a_second_handshake_is_judged_by_the_server(warm: Any) -> None:
    second = warm.shake_hands("2025-06-18")[0] | {"id": "second"}
    lines = [*warm.shake_hands(), second, warm.make_request(1, "tools/list")]
    found = warm.start(*lines)
    warm.cache.unlink()
    assert found.answers == warm.start(*lines).answers


def test_a_line_without_its_end_is_answered_by_the_server(warm: Any, mode: str) -> None:
    *lines, last = warm.ask_lists(mode)
    found = warm.start(*lines, json.dumps(last).encode())
    assert last["id"] in found.answers
    assert len(found.answers) == len([line for line in warm.ask_lists(mode) if "id" in line])


def test_a_probe_of_the_doctor_is_answered_by_the_server_itself(starts: Any, mode: str) -> None:
    era: ProtocolEra = "handshake" if mode == "legacy" else "stateless"
    for _ in range(2):
        found = starts.start(*({"jsonrpc": "2.0", **message} for message in _MESSAGES[era]))
        assert not found.is_quick
        assert len(found.result("list")["tools"]) == 3


def test_an_input_that_ends_at_once_ends_the_server(warm: Any) -> None:
    found = warm.start()
    assert (found.answers, found.code, found.log, found.is_quick) == ({}, 0, "", True)


@pytest.mark.parametrize("mode", ["legacy"])
def test_a_closed_output_ends_the_server_silently(warm: Any) -> None:
    with subprocess.Popen(
        warm.command(),
        cwd=warm.root,
        env=warm.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdout.close()
        server.stdin.write(b"".join(warm.encode(line) for line in warm.ask_lists("legacy")))
        server.stdin.flush()
        assert server.wait(30) == 0


def test_eight_starts_at_once_get_the_same_answers(starts: Any, mode: str) -> None:
    """First without a cache, which all of them write, and then with it."""
    with ThreadPoolExecutor(8) as pool:
        for is_quick in (False, True):
            found = list(pool.map(lambda _: starts.start(*starts.ask_lists(mode)), range(8 if is_quick else 2)))
            assert [one.is_quick for one in found] == [is_quick] * len(found)
            assert all(one.answers == found[0].answers for one in found)
    assert len(list(starts.cache.parent.iterdir())) == 1
