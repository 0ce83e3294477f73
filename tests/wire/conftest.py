"""A project with real code in it, and the real server process over it: with the official client, and line by line."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import selectors
import shutil
import subprocess
import sys
import time
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

PATIENCE = 90.0
LEAK = f'aws_key = "{"AKIA" + "Q3EGRD7XV5TZLMNP"}"\n'  # in two parts, or this file would be one that holds a secret


@dataclass
class Server:
    """The server's process, spoken to by hand: one JSON value or raw bytes a line."""

    process: subprocess.Popen[bytes]
    log: Path
    _held: bytearray = field(default_factory=bytearray)

    def send(self, message: Any) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next line of standard output, which is JSON or else the test fails."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while (end := self._held.find(b"\n")) < 0:
                assert selector.select(max(0.0, deadline - time.monotonic())), "the server did not answer"
                block = os.read(self.process.stdout.fileno(), 1 << 16)
                assert block, f"the server ended: {self.log.read_text()}"
                self._held += block
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        found: dict[str, Any] = json.loads(line)
        return found

    def answer(self, identifier: Any) -> dict[str, Any]:
        """The response with this id; notifications and other answers before it are passed over."""
        while True:
            found = self.receive()
            if found.get("id") == identifier and "method" not in found:
                return found

    def shake_hands(self, name: str = "hand") -> Self:
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        self.send({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": client})
        self.answer("hello")
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def call(self, identifier: Any, tool: str, arguments: Any, **meta: Any) -> None:
        params = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
        self.send({"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params})

    def end_input(self, last: bytes = b"") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(last)
        self.process.stdin.close()

    def close(self) -> int:
        """End its input and wait; its exit code."""
        self.end_input()
        assert self.process.stdout is not None
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code


@dataclass
class Project:
    """A project's folder, and servers over it.

    `is_forked` is false in tests that kill a server or read its processor time: a new interpreter then runs it.
    """

    root: Path
    logs: Path
    program: str
    is_forked: bool = True
    servers: list[Server] = field(default_factory=list)

    def command(self, *options: str) -> list[str]:
        start = [self.program] if self.is_forked else [sys.executable, "-m", "aurora"]
        return [*start, "mcp", *options]

    @asynccontextmanager
    async def client(self, mode: str, *options: str, **how: Any) -> AsyncIterator[Client]:
        """The official client, connected; `mode` is `legacy` or `auto`."""
        command, *arguments = self.command(*options)
        # The client passes no variable on by itself: the own workflows of the projects here are trusted.
        environ = {"AURORA_TRUST": "1", "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]}
        parameters = StdioServerParameters(command=command, args=arguments, cwd=self.root, env=environ)
        with (self.logs / "client.log").open("a", encoding="utf-8") as log:
            async with Client(stdio_client(parameters, log), mode=mode, read_timeout_seconds=PATIENCE, **how) as client:
                yield client

    def serve(self, *options: str, **environ: str) -> Server:
        """A process to speak to by hand; ended with the test."""
        path = self.logs / f"server-{len(self.servers)}.log"
        with path.open("wb") as log:
            process = subprocess.Popen(
                self.command(*options),
                cwd=self.root,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **environ},
            )
        self.servers.append(Server(process, path))
        return self.servers[-1]

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def end(self) -> None:
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
            server.process.wait(PATIENCE)
            for pipe in (server.process.stdin, server.process.stdout):
                assert pipe is not None
                with contextlib.suppress(BrokenPipeError):  # what a test wrote to a server that it then killed
                    pipe.close()


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed `click` as a project of its own, indexed once."""
    root = tmp_path_factory.mktemp("indexed") / "project"
    source = importlib.util.find_spec("click")
    assert source is not None
    assert source.origin is not None
    shutil.copytree(Path(source.origin).parent, root / "click", ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    (root / "README.md").write_text("# Click\n\n## Install\n\nRun pip install click.\n", encoding="utf-8")
    (root / "settings.py").write_text(LEAK, encoding="utf-8")
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    (root / "out.txt").symlink_to("/etc/hostname")
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
    return root


@pytest.fixture
def project(indexed: Path, tmp_path: Path, aur_program: str) -> Any:
    """A copy of the indexed project for one test; its servers end with the test."""
    root = tmp_path / "project"
    shutil.copytree(indexed, root, symlinks=True)
    made = Project(root.resolve(), tmp_path, aur_program)
    yield made
    made.end()


@pytest.fixture(params=["legacy", "auto"])
def mode(request: pytest.FixtureRequest) -> str:
    """Both eras of the protocol: the handshake, and the stateless one that the client finds by itself."""
    return str(request.param)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def tokens() -> Callable[[Any], int]:
    """Counts tokens as the tokenizer does that wordllama ships."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - slow to import, and few tests count

    found = importlib.util.find_spec("wordllama")
    assert found is not None
    assert found.origin is not None
    path = Path(found.origin).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
    tokenizer = Tokenizer.from_file(str(path))

    def count(value: Any) -> int:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    return count


@pytest.fixture
def connect(project: Any) -> Callable[..., AbstractAsyncContextManager[Client]]:
    """Connects the official client to a server over the project, with the handshake that most hosts use."""
    return lambda *options, **how: project.client("legacy", *options, **how)


@pytest.fixture
def connect_in_era(project: Any, mode: str) -> Callable[..., AbstractAsyncContextManager[Client]]:
    """Connects it in both eras; for a few tests, since the eras differ before a call and not in it."""
    return lambda *options, **how: project.client(mode, *options, **how)
