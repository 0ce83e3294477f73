"""The extension for VS Code: its types, and its servers as the editor asks for them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from aurora.hosts import DEFAULT_TOOLS, list_server_tools

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
EXTENSION = ROOT / "integrations" / "vscode"
BUILD = ROOT / "build" / "vscode"
PACKAGES = ("typescript@7.0.2", "@types/vscode@1.140.0")
OWN, OTHER = "aurora.context", "aura.context"
SECONDS = 300


def _find_program(name: str) -> str:
    """Find a program of Node.js; without it the test is skipped, and fails in CI."""
    found = shutil.which(name)
    if found is None:
        message = f"there is no program {name} on PATH: install Node.js 20 or newer"
        assert not os.environ.get("CI"), message
        pytest.skip(message)
    return found


def _play(**scenario: Any) -> dict[str, Any]:
    done = subprocess.run(
        [_find_program("node"), str(HERE / "driver.js")],
        input=json.dumps({"extension": str(EXTENSION), **scenario}),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.requirement("aura-14")
def test_every_use_of_the_editor_has_the_type_that_the_editor_declares() -> None:
    compiler = BUILD / "node_modules" / ".bin" / "tsc"
    if not compiler.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        command = [_find_program("npm"), "install", "--no-audit", "--no-fund", "--prefix", str(BUILD), *PACKAGES]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, f"npm cannot install {' and '.join(PACKAGES)}: {done.stderr[-500:]}"
    types = str(BUILD / "node_modules" / "@types")
    checked = subprocess.run(
        [str(compiler), "--project", str(EXTENSION / "jsconfig.json"), "--typeRoots", types],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (checked.returncode, checked.stdout) == (0, "")


@pytest.mark.requirement("aura-22", "aura-38")
def test_the_oldest_editor_is_the_one_that_has_the_interface() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    assert manifest["engines"] == {"vscode": "^1.101.0"}
    assert manifest["contributes"]["mcpServerDefinitionProviders"] == [
        {"id": OWN, "label": "Aurora"},
        {"id": OTHER, "label": "Aura Codebase Context"},
    ]
    files = {path.name for path in EXTENSION.iterdir()}
    assert files == {"package.json", "extension.js", "jsconfig.json", "README.md", ".vscodeignore"}


@pytest.mark.requirement("aura-14", "aura-21", "aura-24", "aura-26")
def test_a_trusted_workspace_gets_a_server_of_each_folder(tmp_path: Path) -> None:
    folders = [tmp_path / "shop", tmp_path / "site"]
    found = _play(
        folders=[*(f"file://{folder}" for folder in folders), "vscode-vfs://github/x/y"],
        settings={"aurora.toolsets": ["graph"]},
    )
    assert found["servers"][OTHER] == []
    assert found["disposables"] == 9, "an emitter, two providers, four listeners, two commands"
    for server, folder in zip(found["servers"][OWN], folders, strict=True):
        assert server["label"] == f"Aurora ({folder.name})"
        assert (server["command"], server["cwd"]) == ("aur", str(folder))
        assert server["args"] == ["mcp", "--project", str(folder), "--toolsets", "graph"]


@pytest.mark.requirement("aura-21")
def test_the_command_of_the_editor_starts_a_server_that_lists_the_tools(tmp_path: Path, aur_program: str) -> None:
    (server,) = _play(folders=[f"file://{tmp_path}"], settings={"aurora.command": aur_program})["servers"][OWN]
    assert server["label"] == "Aurora"
    answer = list_server_tools([server["command"], *server["args"]], Path(server["cwd"]), 60)
    assert answer.problem == ""
    assert set(answer.tools) == set(DEFAULT_TOOLS)


def test_an_untrusted_workspace_and_an_empty_window_start_nothing(tmp_path: Path) -> None:
    assert _play(folders=[f"file://{tmp_path}"], trusted=False)["servers"] == {OWN: [], OTHER: []}
    assert _play()["servers"] == {OWN: [], OTHER: []}


def test_a_workspace_cannot_name_the_program_and_an_untrusted_one_no_address() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    settings = manifest["contributes"]["configuration"]["properties"]
    assert {settings[name]["scope"] for name in ("aurora.command", "aurora.toolsets")} == {"machine"}
    restricted = manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert restricted == ["aurora.apiUrl", "aura.apiUrl"]


@pytest.mark.requirement("aura-15", "aura-23")
@pytest.mark.parametrize(
    ("address", "uri"),
    [
        ("http://localhost:5300", "http://localhost:5300/mcp"),
        (" https://aurora.example.com/p/shop/ ", "https://aurora.example.com/p/shop/mcp"),
        ("https://aurora.example.com/mcp", "https://aurora.example.com/mcp"),
        ("https://aurora.example.com/p/shop/mcp/", "https://aurora.example.com/p/shop/mcp"),
    ],
)
def test_an_address_replaces_the_local_server_under_both_names(tmp_path: Path, address: str, uri: str) -> None:
    settings = {"aurora.apiUrl": address, "aura.apiUrl": address}
    servers = _play(folders=[f"file://{tmp_path}"], settings=settings)["servers"]
    assert [(one["label"], one["uri"], one["headers"]) for one in servers[OWN]] == [("Aurora", uri, {})]
    assert [(one["label"], one["uri"]) for one in servers[OTHER]] == [("Aura Codebase Context", uri)]
    assert (
        servers[OTHER][0]["version"] == json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))["version"]
    )


@pytest.mark.parametrize(
    "address",
    ["x", "file:///etc/passwd", "javascript:alert(1)", "https://user:pass@example.com", "https://x/?a=b", "http://"],
)
def test_an_address_that_is_none_gives_no_server(address: str) -> None:
    assert _play(settings={"aurora.apiUrl": address})["servers"][OWN] == []


@pytest.mark.requirement("aura-25")
def test_a_token_goes_to_its_own_origin_alone() -> None:
    secrets = {"token:https://aurora.example.com": "secret"}
    right = _play(secrets=secrets, settings={"aurora.apiUrl": "https://aurora.example.com/p/shop"})
    assert right["servers"][OWN][0]["headers"] == {"Authorization": "Bearer secret"}
    for address in ("https://evil.example.com", "https://aurora.example.com:444", "http://aurora.example.com"):
        other = _play(secrets=secrets, settings={"aurora.apiUrl": address})
        assert other["servers"][OWN][0]["headers"] == {}


def test_a_token_is_not_sent_in_clear_text_to_another_machine() -> None:
    for host, is_sent in (("192.168.0.9:80", False), ("127.0.0.1:5300", True), ("localhost", True), ("[::1]:1", True)):
        address = f"http://{host}"
        (server,) = _play(secrets={f"token:{address.removesuffix(':80')}": "x"}, settings={"aurora.apiUrl": address})[
            "servers"
        ][OWN]
        assert ("refused" not in server) == is_sent
        if not is_sent:
            assert "without encryption" in server["refused"]


def test_the_commands_keep_and_forget_a_token() -> None:
    settings = {"aurora.apiUrl": "https://a.example.com/x", "aura.apiUrl": "https://b.example.com"}
    kept = _play(settings=settings, commands=["aurora.setToken"], typed=" secret ", picked=1)
    assert kept["kept"] == {"token:https://b.example.com": "secret"}
    assert kept["servers"][OTHER][0]["headers"] == {"Authorization": "Bearer secret"}
    assert kept["changes"] == 2  # once for each provider
    gone = _play(settings=settings, commands=["aurora.forgetToken"], picked=1, secrets=kept["kept"])
    assert gone["kept"] == {}
    assert _play(settings=settings, commands=["aurora.setToken"], typed="two words")["kept"] == {}
    assert "write it into the setting aurora.apiUrl" in _play(commands=["aurora.setToken"])["shown"][0]


@pytest.mark.requirement("aura-15")
def test_the_editor_asks_again_after_each_change() -> None:
    for event in ({"name": "folders"}, {"name": "trust"}, {"name": "configuration", "section": "aurora"}):
        assert _play(events=[event])["changes"] == 2
    assert _play(events=[{"name": "configuration", "section": "editor"}])["changes"] == 0
