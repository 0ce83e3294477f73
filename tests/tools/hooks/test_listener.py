"""The thread that answers hooks: only where an assistant has them, over a private socket."""

from __future__ import annotations

import json
import os
import socket
import time
from typing import TYPE_CHECKING, Any

import pytest

from aurora.hook import find_hook_folder, name_project
from aurora.tools.hooks.listener import HookListener
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 30.0
HOOK = {"type": "command", "command": "aur hook user-prompt"}


@pytest.fixture
def folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert home.is_dir()
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    place = find_hook_folder()
    assert place is not None
    return home / place.removeprefix(f"{home}/")


@pytest.fixture
def shop(tmp_path: Path, folder: Path) -> Iterator[Workspace]:
    assert not folder.exists()
    root = (tmp_path / "shop").resolve()
    (root / ".claude").mkdir(parents=True)
    (root / "backup.py").write_text("def restore_order_backup(name):\n    return name\n", encoding="utf-8")
    settings = {"hooks": {"UserPromptSubmit": [{"hooks": [HOOK]}]}}
    (root / ".claude/settings.local.json").write_text(json.dumps(settings), encoding="utf-8")
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
        yield workspace


@pytest.fixture
def listener(shop: Workspace) -> Iterator[HookListener]:
    listener = HookListener(shop)
    listener.start()
    yield listener
    listener.stop()


def _await(path: Path) -> Path:
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        os.sched_yield()
    return path


def _ask(path: Path, data: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(PATIENCE)
        handle = os.open(path.parent, os.O_RDONLY)
        connection.connect(f"/proc/self/fd/{handle}/{path.name}")
        os.close(handle)
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while block := connection.recv(65_536):
            answer += block
    return answer


def _request(shop: Workspace, **fields: Any) -> bytes:
    return json.dumps({"event": "user-prompt", "root": str(shop.root), **fields}).encode()


def _name(shop: Workspace) -> str:
    return name_project(str(shop.root))


@pytest.mark.requirement("triads-15")
def test_a_prompt_is_answered_and_the_socket_is_gone_at_the_end(
    shop: Workspace, listener: HookListener, folder: Path
) -> None:
    path = _await(folder / f"{_name(shop)}-{os.getpid()}.sock")
    assert folder.stat().st_mode & 0o777 == 0o700
    answer = json.loads(_ask(path, _request(shop, prompt="rename restore_order_backup please")))
    assert answer["root"] == str(shop.root)
    assert "backup.py:1-2" in answer["message"]
    listener.stop()
    assert not path.exists()


@pytest.mark.requirement("triads-16")
def test_a_use_of_a_file_is_answered_once_a_session(shop: Workspace, listener: HookListener, folder: Path) -> None:
    assert listener is not None
    call_tool(shop, "mem.add", {"text": "backup.py must stay free of imports."})
    path = _await(folder / f"{_name(shop)}-{os.getpid()}.sock")
    use = {"event": "file-use", "path": str(shop.root / "backup.py")}
    first, again, other = (json.loads(_ask(path, _request(shop, **use, session=one))) for one in "112")
    assert "must stay free of imports" in first["context"] == other["context"]
    assert "context" not in again
    for _ in range(2):
        assert "context" in json.loads(_ask(path, _request(shop, **use, session="")))
    for number in range(40):
        _ask(path, _request(shop, **use, session=f"more {number}"))
    assert "context" in json.loads(_ask(path, _request(shop, **use, session="1")))  # forgotten by now


@pytest.mark.parametrize("fields", [{}, {"path": 1, "session": "1"}, {"path": "/", "session": None}])
def test_a_use_of_a_file_without_a_path_adds_nothing(
    shop: Workspace, listener: HookListener, folder: Path, fields: dict[str, Any]
) -> None:
    assert listener is not None
    path = _await(folder / f"{_name(shop)}-{os.getpid()}.sock")
    assert json.loads(_ask(path, _request(shop, event="file-use", **fields))) == {"root": str(shop.root)}


def test_a_socket_has_its_name_only_when_it_listens(
    shop: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listen = socket.socket.listen
    seen: list[list[str]] = []

    def note(listening: socket.socket, backlog: int) -> None:
        seen.append([path.suffix for path in folder.iterdir() if path.stem == f"{_name(shop)}-{os.getpid()}"])
        listen(listening, backlog)

    monkeypatch.setattr(socket.socket, "listen", note)
    listener = HookListener(shop)
    listener.start()
    _await(folder / f"{_name(shop)}-{os.getpid()}.sock")
    listener.stop()
    assert seen == [[".new"]]
    assert not list(folder.glob("*.new"))


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"\xff", b'{"root": "/"}', b"{" * 70_000], ids=lambda data: str(data[:12])
)
def test_a_request_that_is_none_is_not_answered_and_the_next_one_is(
    shop: Workspace, listener: HookListener, folder: Path, data: bytes
) -> None:
    assert listener is not None
    path = _await(folder / f"{_name(shop)}-{os.getpid()}.sock")
    try:
        assert _ask(path, data) == b""
    except (BrokenPipeError, ConnectionResetError):  # it was closed before everything was sent
        assert len(data) > 65_536
    assert json.loads(_ask(path, _request(shop, event="session-start")))["context"]


def test_a_client_that_sends_nothing_does_not_keep_the_others(
    shop: Workspace, listener: HookListener, folder: Path
) -> None:
    assert listener is not None
    path = _await(folder / f"{_name(shop)}-{os.getpid()}.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as silent:
        handle = os.open(path.parent, os.O_RDONLY)
        silent.connect(f"/proc/self/fd/{handle}/{path.name}")
        os.close(handle)
        assert json.loads(_ask(path, _request(shop, event="session-start")))["context"]


@pytest.mark.requirement("triads-18")
def test_the_next_session_finds_a_note_that_follows_the_memory(
    shop: Workspace, listener: HookListener, folder: Path
) -> None:
    note = _await(folder / f"{_name(shop)}.json")
    call_tool(shop, "workflow.step", {"phase": "assess", "query": "why do orders get lost?"})
    listener.stop()
    assert "why do orders get lost?" in json.loads(note.read_text(encoding="utf-8"))["context"]


def test_the_socket_of_a_killed_server_is_removed(shop: Workspace, folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    dead = folder / f"{_name(shop)}-4194305.sock"  # above the highest number of a process
    dead.write_bytes(b"")
    listener = HookListener(shop)
    listener.start()
    _await(folder / f"{_name(shop)}-{os.getpid()}.sock")
    assert not dead.exists()
    listener.stop()


def test_without_hooks_a_server_leaves_no_trace(shop: Workspace, folder: Path) -> None:
    (shop.root / ".claude/settings.local.json").unlink()
    listener = HookListener(shop)
    listener._run()
    listener.stop()
    assert not folder.exists()
