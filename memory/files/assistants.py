"""Folders and files that assistants keep in a project for themselves."""

from __future__ import annotations

ASSISTANT_FOLDERS = frozenset(
    {
        ".agents",
        ".claude",
        ".clinerules",
        ".codex",
        ".continue",
        ".cursor",
        ".gemini",
        ".junie",
        ".kiro",
        ".opencode",
        ".qwen",
        ".windsurf",
    }
)
"""Folders in which an assistant keeps settings, sessions, copies and working trees beside what the team shares.

Of these, what git tracks is part of the project. A test compares the list with the assistants that `hosts` knows.
"""

ASSISTANT_FILES = frozenset(
    {
        ".claude/settings.local.json",
        ".codex/config.toml",
        ".continue/mcpServers/aurora.yaml",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        ".github/mcp.json",
        ".junie/mcp/mcp.json",
        ".kiro/settings/mcp.json",
        ".mcp.json",
        ".qwen/settings.json",
        ".vscode/mcp.json",
        ".zed/settings.json",
        "opencode.json",
        "opencode.jsonc",
    }
)
"""Configuration of assistants, into which `aur init` writes, in any folder of a project; also where git tracks it."""

_PRIVATE_NAME = "settings.local.json"
_NAMES = frozenset(path.rpartition("/")[2] for path in ASSISTANT_FILES)
_MAX_PARTS = 3


def is_assistant_folder(name: str) -> bool:
    """Return True for the name of a folder of an assistant."""
    return name.lower() in ASSISTANT_FOLDERS


def describe_assistant_file(path: str) -> str:
    """Describe why a file is an assistant's alone; empty for any other file.

    Args:
        path: relative to the project, with forward slashes.
    """
    name = path.rpartition("/")[2]
    if name.lower() == _PRIVATE_NAME:
        return "the person's own settings of an assistant"
    parts = path.split("/")[-_MAX_PARTS:] if name in _NAMES else []
    is_found = any("/".join(parts[at:]) in ASSISTANT_FILES for at in range(len(parts)))
    return "the configuration of an assistant" if is_found else ""
