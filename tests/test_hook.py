"""The process of a hook: it ends in time with exit code 0, and prints a whole answer or nothing."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from aurora.hook import MAX_MESSAGE_BYTES, name_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60.0


class Hooks:
    """Hooks of one project, whose folder has what a server would leave there."""

    def __init__(self, folder: Path, program: str) -> None:
        self.program = program
        self.root = (folder / "shop").resolve()
        (self.root / "src").mkdir(parents=True)
        self.place = folder / "home/.cache/aurora/hooks"
        self.place.mkdir(parents=True, mode=0o700)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AURORA_", "XDG_"))}
        self.environ = {**kept, "HOME": str(folder / "home")}

    @property
    def note(self) -> Path:
        return self.place / f"{name_project(str(self.root))}.json"

    def leave_note(self, **values: Any) -> None:
        answer = {"root": str(self.root), "context": "three runs", "message": "Aurora adds three runs", **values}
        self.note.write_text(json.dumps(answer), encoding="utf-8")

    def run(self, *words: str, request: bytes | None = None, **fields: Any) -> bytes:
        """Run a hook as an assistant does; its exit code is always 0."""
        sent = json.dumps({"cwd": str(self.root / "src"), **fields}).encode() if request is None else request
        done = subprocess.run(
            [self.program, "hook", *words],
            input=sent,
            capture_output=True,
            env=self.environ,
            cwd=self.root,
            timeout=PATIENCE,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def run_until_answered(self, *words: str, **fields: Any) -> dict[str, Any]:
        """Run a hook again while it is late, as on a busy machine."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if answer := self.run(*words, **fields):
                found: dict[str, Any] = json.loads(answer)
                return found
        raise AssertionError("no hook was in time")


@pytest.fixture
def hooks(tmp_path: Path, aur_program: str) -> Hooks:
    return Hooks(tmp_path, aur_program)


@pytest.mark.requirement("triads-14")
def test_a_session_gets_the_note_of_the_project_around_it(hooks: Hooks) -> None:
    hooks.leave_note()
    assert hooks.run_until_answered("session-start", hook_event_name="SessionStart") == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "three runs"},
        "systemMessage": "Aurora adds three runs",
    }


def test_copilot_cli_gets_the_context_alone(hooks: Hooks) -> None:
    hooks.leave_note()
    found = hooks.run_until_answered("session-start", "--project", str(hooks.root), sessionId="1", source="new")
    assert found == {"additionalContext": "three runs"}


def test_a_prompt_gets_nothing_from_the_note(hooks: Hooks) -> None:
    hooks.leave_note()
    assert hooks.run("user-prompt", prompt="three runs") == b""


def test_a_hook_of_another_project_adds_nothing(hooks: Hooks) -> None:
    hooks.leave_note()
    hooks.run_until_answered("session-start", "--project", str(hooks.root))
    assert hooks.run("session-start", "--project", str(hooks.root / "src")) == b""


@pytest.mark.parametrize(
    "request_",
    [
        *(b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"cwd": 1}', b'{"cwd": "\\u0000"}', b"[" * 100_000),
        b'{"cwd": "/", "prompt": "' + b"x" * MAX_MESSAGE_BYTES + b'"}',
        b'{"cwd": "/", "prompt": "' + b"x" * 5_000_000 + b'"}',
    ],
    ids=lambda data: str(data[:20]),
)
def test_a_request_that_is_none_adds_nothing(hooks: Hooks, request_: bytes) -> None:
    for event in ("session-start", "user-prompt", "file-use"):
        assert hooks.run(event, request=request_) == b""


class AnsweringServer(threading.Thread):
    """Server of a project that answers each hook with the question it was asked."""

    def __init__(self, hooks: Hooks) -> None:
        super().__init__(daemon=True)
        self._root = str(hooks.root)
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        folder = os.open(hooks.place, os.O_RDONLY)
        self._listening.bind(f"/proc/self/fd/{folder}/{name_project(self._root)}-1.sock")
        os.close(folder)
        self._listening.listen(8)

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                with connection:
                    data = b""
                    while block := connection.recv(65_536):
                        data += block
                    answer = {"root": self._root, "context": data.decode(), "message": "asked"}
                    connection.sendall(json.dumps(answer).encode())

    def stop(self) -> None:
        self._listening.close()


@pytest.fixture
def server(hooks: Hooks) -> Iterator[AnsweringServer]:
    server = AnsweringServer(hooks)
    server.start()
    yield server
    server.stop()


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"tool_input": {"file_path": "/shop/a.py"}, "session_id": "s"}, "/shop/a.py"),
        ({"tool_input": {"notebook_path": "a.nb"}, "session_id": "s", "hook_event_name": "AfterTool"}, "src/a.nb"),
        ({"tool_response": "x" * 1_000_000, "tool_input": {"file_path": "c.py"}, "session_id": "s"}, "src/c.py"),
        ({"toolArgs": {"path": "../a.py"}, "sessionId": "s"}, "src/../a.py"),
        ({"toolArgs": '{"path": "b.py"}', "sessionId": "s"}, "src/b.py"),
    ],
)
def test_a_use_of_a_file_asks_the_server(hooks: Hooks, server: AnsweringServer, given: Any, path: str) -> None:
    assert server.is_alive()
    answer = hooks.run_until_answered("file-use", **given)
    context = answer.get("additionalContext") or answer["hookSpecificOutput"]["additionalContext"]
    whole = str(hooks.root / path)
    assert json.loads(context) == {"event": "file-use", "path": whole, "session": "s", "root": str(hooks.root)}


@pytest.mark.parametrize(
    "given",
    [
        *({}, {"tool_input": {}}, {"tool_input": {"file_path": 1}}, {"tool_input": []}, {"toolArgs": {"path": ""}}),
        *({"toolArgs": "{"}, {"toolArgs": "[]"}, {"toolArgs": '"x"'}, {"toolArgs": None}),
    ],
)
def test_a_use_of_something_else_asks_nothing(hooks: Hooks, server: AnsweringServer, given: Any) -> None:
    assert server.is_alive()
    hooks.run_until_answered("user-prompt", prompt="the server answers")
    assert hooks.run("file-use", session_id="s", **given) == b""


def test_input_that_never_ends_ends_the_hook_silently(hooks: Hooks) -> None:
    hooks.leave_note()
    process = subprocess.Popen(
        [hooks.program, "hook", "session-start"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=hooks.environ,
    )
    with process:
        assert process.wait(PATIENCE) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b""


def test_a_server_that_does_not_answer_ends_the_hook_silently(hooks: Hooks) -> None:
    hooks.leave_note()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        folder = os.open(hooks.place, os.O_RDONLY)
        listening.bind(f"/proc/self/fd/{folder}/{name_project(str(hooks.root))}-1.sock")
        os.close(folder)
        listening.listen(8)  # it accepts, and never reads
        assert hooks.run("session-start") == b""
        assert hooks.run("user-prompt", prompt="where are runs stored") == b""


def test_the_socket_of_a_dead_server_is_passed_over(hooks: Hooks) -> None:
    hooks.leave_note()
    (hooks.place / f"{name_project(str(hooks.root))}-1.sock").write_bytes(b"")
    assert hooks.run_until_answered("session-start")["systemMessage"] == "Aurora adds three runs"


def test_a_note_that_anyone_else_could_have_written_adds_nothing(hooks: Hooks) -> None:
    hooks.leave_note()
    hooks.place.chmod(0o755)
    assert hooks.run("session-start") == b""
    hooks.place.chmod(0o700)
    elsewhere = hooks.root / "note.json"
    hooks.note.rename(elsewhere)
    hooks.note.symlink_to(elsewhere)
    assert hooks.run("session-start") == b""


@pytest.mark.parametrize("values", [{"root": "/"}, {"context": ""}, {"context": ["x"]}, {"message": None}])
def test_a_note_of_another_form_or_project_adds_nothing(hooks: Hooks, values: dict[str, Any]) -> None:
    hooks.leave_note(**values)
    assert hooks.run("session-start") == b""


def test_a_hook_loads_nothing_but_the_standard_library(hooks: Hooks) -> None:
    hooks.leave_note()
    script = (
        "import os, sys\n"
        "sys.argv = ['aur', 'hook', 'session-start']\n"
        "from aurora import hook\n"
        "end = os._exit\n"
        "def exit_with_modules(code):\n"
        "    print(sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)))\n"
        "    sys.stdout.flush()\n"
        "    end(code)\n"
        "os._exit = exit_with_modules\n"
        "from aurora.cli.entry import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=b"{}",
        capture_output=True,
        env=hooks.environ,
        cwd="/",
        timeout=PATIENCE,
        check=True,
    )
    modules = done.stdout.decode().splitlines()[-1]
    for library in ("click", "pydantic", "numpy", "apsw", "mcp", "anyio"):
        assert repr(library) not in modules
