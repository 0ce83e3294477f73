"""Starts of the server in a small project, each a new interpreter: its answers, and what it loaded for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 60.0
TEA = """\
aurora: 1
name: tea
version: 1.0.0
title: Make tea
start: brew
phases:
  brew: { inputs: { query: { type: string } }, next_action: end }
"""


@dataclass(frozen=True)
class Start:
    """What one start wrote.

    Attributes:
        lines: the lines of standard output.
        answers: id -> its line.
        modules: the modules that were imported.
        log: its other lines on standard error.
        code: its exit code.
    """

    lines: list[bytes]
    answers: dict[Any, bytes]
    modules: tuple[str, ...]
    log: str
    code: int

    @property
    def is_quick(self) -> bool:
        """The server itself was not loaded."""
        return "pydantic" not in self.modules

    def result(self, identifier: Any) -> Any:
        return json.loads(self.answers[identifier])["result"]

    @property
    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.result("tools/list")["tools"]]

    @property
    def prompts(self) -> list[str]:
        return [prompt["name"] for prompt in self.result("prompts/list")["prompts"]]


@dataclass
class Starts:
    """Starts of the server in one project, with one folder of caches."""

    root: Path
    home: Path
    environ: dict[str, str] = field(default_factory=dict)
    LISTS: ClassVar = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
    ENVELOPE: ClassVar = {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "hand", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    }
    INITIALIZED: ClassVar = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    TEA: ClassVar = TEA

    @staticmethod
    def make_request(identifier: Any, method: str, params: Any = None) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": identifier, "method": method}
        return request if params is None else {**request, "params": params}

    @classmethod
    def shake_hands(cls, version: str = "2025-11-25", **capabilities: Any) -> list[dict[str, Any]]:
        """The handshake of the era before the stateless one."""
        client = {"name": "hand", "version": "1"}
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
        return [cls.make_request("hello", "initialize", params), cls.INITIALIZED]

    @classmethod
    def ask_lists(cls, mode: str) -> list[dict[str, Any]]:
        """What a host asks at its start, and `ping` in the era that has it."""
        if mode == "legacy":
            return [*cls.shake_hands(), *(cls.make_request(one, one) for one in (*cls.LISTS, "ping"))]
        return [cls.make_request(one, one, cls.ENVELOPE) for one in ("server/discover", *cls.LISTS)]

    def command(self, *options: str) -> list[str]:
        return [sys.executable, "-X", "importtime", "-m", "aurora", "mcp", *options]

    def start(self, *lines: Any, options: tuple[str, ...] = (), **environ: str) -> Start:
        """Start a server, send these lines with the end of input, and wait for its end."""
        text = b"".join(self.encode(line) for line in lines)
        done = subprocess.run(
            self.command(*options),
            cwd=self.root,
            input=text,
            capture_output=True,
            env={**self.environ, **environ},
            timeout=PATIENCE,
            check=False,
        )
        return self.read(done.stdout, done.stderr, done.returncode)

    @staticmethod
    def encode(line: Any) -> bytes:
        return line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"

    @staticmethod
    def read(output: bytes, errors: bytes, code: int) -> Start:
        found = {json.loads(line).get("id"): line for line in output.splitlines()}
        timed = [line for line in errors.decode().splitlines() if line.startswith("import time:")]
        other = [line for line in errors.decode().splitlines() if not line.startswith("import time:")]
        return Start(
            output.splitlines(), found, tuple(line.rpartition("|")[2].strip() for line in timed), "\n".join(other), code
        )

    @property
    def cache(self) -> Path:
        """The only file of a cache."""
        (found,) = (self.home / "aurora" / "start").glob("*.json")
        return found

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture
def starts(tmp_path: Path) -> Starts:
    root, home = tmp_path / "small", tmp_path / "cache"
    (root / ".aurora").mkdir(parents=True)
    (root / "code.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    dropped = {"READ_ONLY", "AURORA_TOOLSETS", "AURORA_DB"}
    environ = {name: value for name, value in os.environ.items() if name not in dropped}
    environ |= {"XDG_CACHE_HOME": str(home), "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    return Starts(root.resolve(), home, environ)


@pytest.fixture
def warm(starts: Starts, mode: str) -> Starts:
    """A project in which a server was started once, in one era."""
    assert not starts.start(*starts.ask_lists(mode)).is_quick
    return starts
