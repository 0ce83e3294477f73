"""A trusted project, and a person's configuration that allows a small Python program in it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime import Workspace, call_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Allow = Callable[..., Path]
    RunCommand = Callable[..., dict[str, Any]]

PROBE = '''"""Does one thing, as its first argument says."""
import json, os, signal, sys, time

how, *words = sys.argv[1:]
if how == "args":
    print(json.dumps(words))
elif how == "env":
    print(json.dumps(dict(os.environ)))
elif how == "cat":
    print(sys.stdin.read(), end="")
elif how == "cwd":
    print(os.getcwd())
elif how == "print":
    print(words[0])
elif how == "exit":
    sys.stderr.write("it failed")
    sys.exit(int(words[0]))
elif how == "signal":
    os.kill(os.getpid(), signal.SIGKILL)
elif how == "long":
    sys.stdout.buffer.write(b"begin " + "\\u00e9".encode() * 100_000 + b" end")
elif how == "forever":
    while True:
        sys.stdout.write("y" * 65_536)
elif how == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("waiting", flush=True)
    time.sleep(600)
elif how == "daemon":
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(write, str(os.getpid()).encode())
            time.sleep(600)
        os._exit(0)
    print(os.read(read, 20).decode())
'''


@pytest.fixture
def config(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of the person's configuration, which does not exist yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    folder = home / ".config" / "aurora"
    folder.mkdir(parents=True)
    return folder / "config.toml"


@pytest.fixture
def allow(config: Path) -> Allow:
    """Add an entry to the configuration."""

    def add_entry(**entry: Any) -> Path:
        lines = [f"{name} = {json.dumps(value)}" for name, value in entry.items()]
        text = config.read_text(encoding="utf-8") if config.exists() else ""
        config.write_text("\n".join([text, "[[commands]]", *lines, ""]), encoding="utf-8")
        config.chmod(0o600)
        return config

    return add_entry


@pytest.fixture
def opened(tmp_path: Path, config: Path) -> Iterator[Workspace]:  # noqa: ARG001 - the home must be the test's own
    """An open project without files."""
    root = tmp_path / "shop"
    root.mkdir()
    with Workspace(root) as workspace:
        yield workspace


@pytest.fixture
def probe(opened: Workspace, allow: Allow, tmp_path: Path) -> RunCommand:
    """Run the program of this module, which the person allows with every argument, by `command.run`."""
    script = tmp_path / "probe.py"
    script.write_text(PROBE, encoding="utf-8")
    allow(program="probe", path=sys.executable, arguments=["-S", str(script)], further=["**", "-*"], variables=["KEPT"])

    def run(*words: str | int, given: Any = None, **params: Any) -> dict[str, Any]:
        arguments = {"program": "probe", "arguments": ["-S", str(script), *words], "input": given}
        return call_tool(opened, "command.run", arguments, params={"seconds": 20, **params})

    return run
