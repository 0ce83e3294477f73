"""Command lines of the five hosts for one session with a JSON report, in the person's own home and with the own model.

None of them lets the host change files without asking; a session cannot ask, so the host refuses.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Command = tuple[str, ...]

ENVIRONMENT = {
    "GEMINI_CLI_TRUST_WORKSPACE": "true",  # the folder of the session, for Gemini CLI
    "MCP_CONNECTION_NONBLOCKING": "0",  # otherwise the first request of Claude Code may go out without the tools
}


def command_claude_code(prompt: str, project: Path) -> Command:
    """Start Claude Code with the servers of `.mcp.json` alone, and with none where there is no such file."""
    servers = ("--mcp-config", ".mcp.json") if (project / ".mcp.json").exists() else ()
    return ("claude", "--print", prompt, "--output-format", "stream-json", "--verbose", "--strict-mcp-config", *servers)


def command_codex(prompt: str, project: Path) -> Command:
    """Start Codex in a folder that it trusts for this session."""
    trust = f'projects.{json.dumps(str(project))}.trust_level="trusted"'
    return ("codex", "exec", "--json", "--sandbox", "read-only", "--config", trust, prompt)


def command_gemini(prompt: str, _: Path) -> Command:
    """Start Gemini CLI in a folder that it trusts for this session."""
    return ("gemini", "--prompt", prompt, "--output-format", "json", "--skip-trust")


def command_opencode(prompt: str, _: Path) -> Command:
    """Start opencode."""
    return ("opencode", "run", "--format", "json", prompt)


def command_copilot_cli(prompt: str, _: Path) -> Command:
    """Start Copilot CLI in a folder that it trusts for this session."""
    return ("copilot", "--prompt", prompt, "--output-format", "json", "--trust-folder", "--allow-tool", "aurora")


COMMANDS: dict[str, Callable[[str, Path], Command]] = {
    "claude-code": command_claude_code,
    "codex": command_codex,
    "gemini": command_gemini,
    "opencode": command_opencode,
    "copilot-cli": command_copilot_cli,
}
"""By the name that `aur init --hosts` takes."""
