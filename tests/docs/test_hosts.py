from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guide" / "setup.md"
KEYS = {
    ".mcp.json": "mcpServers",
    ".cursor/mcp.json": "mcpServers",
    ".vscode/mcp.json": "servers",
    ".codex/config.toml": "mcp_servers",
    ".gemini/settings.json": "mcpServers",
}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "docs", "version": "1"}},
}


def test_what_is_to_be_written_by_hand_for_each_assistant_starts_the_server(
    blocks_of: Callable[[Path], list[Any]], package: Path, environment: dict[str, str]
) -> None:
    files = {block.words.get("save"): block for block in blocks_of(PAGE)}

    for name, key in KEYS.items():
        text = files[name].text
        entry = (tomllib.loads(text) if name.endswith(".toml") else json.loads(text))[key]["aurora"]
        done = subprocess.run(
            [entry["command"], *entry["args"]],
            cwd=package,
            env=environment,
            input=json.dumps(HELLO) + "\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "aurora", name


def test_every_json_to_be_written_by_hand_is_strict_json(blocks_of: Callable[[Path], list[Any]]) -> None:
    found = [block for block in blocks_of(PAGE) if block.language == "json"]

    assert len(found) == len([name for name in KEYS if name.endswith(".json")])
    for block in found:
        json.loads(block.text)
