"""A real server over HTTP with two projects and its own home, and requests to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
SECRETS = {"alpha": "alpha_pelican", "beta": "beta_ostrich"}
"""Word that only the code of a project has."""
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Answer(NamedTuple):
    """Answer: its status, its headers in lower case, its body."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> Any:
        return json.loads(self.text)

    @property
    def fault(self) -> Any:
        return self.body["error"]["data"]["error"]


@dataclass
class Home:
    """Home of an account with projects, whose server it starts."""

    path: Path
    program: str
    """Path of an `aur` that starts fast."""
    environ: dict[str, str] = field(default_factory=dict)
    is_forked: bool = True
    """Whether its servers start fast too; not in tests that look at the process of a server."""

    def write(self, text: str) -> None:
        """Write serve.toml."""
        (self.path / "config" / "aurora").mkdir(parents=True, exist_ok=True)
        (self.path / "config" / "aurora" / "serve.toml").write_text(text, "utf-8")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [self.program, *words]
        return subprocess.run(
            command, capture_output=True, text=True, env=self.get_environ(), cwd=self.path, timeout=120, check=False
        )

    def add_token(self, *words: str) -> str:
        done = self.run("serve", "token", "add", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def get_environ(self) -> dict[str, str]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("AURORA_", "XDG_"))}
        places = {f"XDG_{name}_HOME": str(self.path / name.lower()) for name in ("CONFIG", "STATE", "CACHE")}
        return {**plain, **places, "HOME": str(self.path), "AURORA_TRUST": "1", "AURORA_WATCH": "0", **self.environ}

    @contextlib.contextmanager
    def start(self, *words: str, command: tuple[str, ...] = ("serve", "--listen", "127.0.0.1:0")) -> Iterator[Served]:
        log = self.path / "log"
        with (
            log.open("w") as output,
            subprocess.Popen(
                [*([self.program] if self.is_forked else [sys.executable, "-m", "aurora"]), *command, *words],
                stderr=output,
                stdin=subprocess.DEVNULL,
                env=self.get_environ(),
                cwd=self.path,
            ) as process,
        ):
            try:
                yield Served(process, wait_for_port(process, log), log)
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                    try:
                        process.wait(60)
                    finally:
                        process.kill()


def wait_for_port(process: subprocess.Popen[Any], log: Path) -> int:
    """Wait until the server has written its address, which ends with its port."""
    with log.open() as lines:
        while True:
            line = lines.readline()
            if "serving" in line and line.endswith("\n"):
                return int("".join(one for one in line.split("127.0.0.1:")[1].split(",")[0].split("/")[0]))
            if not line and process.poll() is not None:
                raise AssertionError(log.read_text())
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.02)


@dataclass
class Served:
    """Running server."""

    process: subprocess.Popen[Any]
    port: int
    log: Path

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with contextlib.closing(connection):
            connection.request(method, path, body, dict(headers or {}))
            found = connection.getresponse()
            return Answer(
                found.status, {name.lower(): value for name, value in found.getheaders()}, found.read().decode()
            )

    def get(self, path: str, token: str = "", **headers: str) -> Answer:
        return self.send("GET", path, headers={**headers, **bearer(token)})

    def post(self, path: str, message: Any, token: str = "", **headers: str) -> Answer:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.send("POST", path, body, {**JSON, **bearer(token), **headers})

    def call(self, path: str, tool: str, arguments: Any, token: str = "", era: str = "2025-11-25") -> Any:
        """Call a tool in an era of the protocol, and return its structured content."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        headers = {"mcp-protocol-version": era}
        if era == MODERN:
            params["_meta"] = META
            headers |= {"mcp-method": "tools/call", "mcp-name": tool}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = self.post(path, message, token, **headers)
        assert answer.status == 200, answer
        return answer.body["result"]["structuredContent"]


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


@pytest.fixture(scope="session")
def make_home(tmp_path_factory: pytest.TempPathFactory, aur_program: str) -> Callable[..., Home]:
    """Make homes with two small indexed projects."""

    def make(database: str = "", *, is_forked: bool = True) -> Home:
        home = Home(tmp_path_factory.mktemp("home"), aur_program, is_forked=is_forked)
        team, tables = uuid4().hex, []
        for name, word in SECRETS.items():
            folder = home.path / name
            folder.mkdir()
            (folder / "module.py").write_text(f'def {word}():\n    """Return the {word} of {name}."""\n', "utf-8")
            home.environ = {"AURORA_DATABASE": database, "AURORA_PROJECT": f"{team}/{name}"} if database else {}
            done = home.run("mem", "index", "--project", str(folder))
            assert done.returncode == 0, done.stderr
            place = f'database_project = "{team}/{name}"\n' if database else ""
            tables.append(f'[projects.{name}]\nfolder = "{home.path / name}"\n{place}')
        limits = "[limits]\nrequests_per_second = 9999\nburst = 99999\n" if database else ""
        home.write("".join([*tables, limits]))
        return home

    return make


@pytest.fixture(scope="session")
def make_plain_home(tmp_path_factory: pytest.TempPathFactory, aur_program: str) -> Callable[[], Home]:
    """Make empty homes."""
    return lambda: Home(tmp_path_factory.mktemp("home"), aur_program)


class Tenants(NamedTuple):
    """Server of two projects with a token for each."""

    home: Home
    server: Served
    alpha: str
    beta: str


@pytest.fixture(scope="module")
def tenants(make_home: Callable[..., Home]) -> Iterator[Tenants]:
    home = make_home()
    alpha = home.add_token("Ann", "--project", "alpha", "--scope", "write")
    beta = home.add_token("Bob", "--project", "beta", "--scope", "write")
    with home.start() as server:
        yield Tenants(home, server, alpha, beta)
