"""Locations of the texts that hosts read, from the vendors' documentation of November 2026."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aurora.hosts.agents import AGENT_LOCATIONS

TextKind = Literal["slash command", "skill", "agent", "note", "output style", "settings file"]

_CLAUDE = ("claude-code",)
_COPILOT = ("vscode", "copilot-cli")
_VSCODE = ("vscode",)
_CURSOR = ("cursor",)
_CODEX = ("codex",)
_GEMINI = ("gemini",)
_QWEN = ("qwen-code",)
_OPENCODE = ("opencode",)
_WINDSURF = ("windsurf",)
_CLINE = ("cline", "cline-cli")
_CONTINUE = ("continue", "continue-cli")
_SHARED_SKILLS = ("codex", "cursor", "gemini", "qwen-code", "opencode")
_SHARED_NOTE = (
    *("cursor", "vscode", "codex", "qwen-code", "opencode", "copilot-cli", "zed"),
    *("windsurf", "cline", "cline-cli", "continue-cli", "junie", "kiro"),
)


@dataclass(frozen=True, slots=True)
class TextLocation:
    """File, or files of a folder.

    Attributes:
        hosts: the names of the hosts that read it.
        kind: the name of such a text for people.
        path: relative to the project, or `~/…`, `{config}/…`. Its last part may begin with `*`, for all files with that
            end; `**` before it matches any folders, and `*` any one folder.
    """

    hosts: tuple[str, ...]
    kind: TextKind
    path: str


_AGENT_READERS = {"copilot": _COPILOT}
"""Hosts that read the agents of a format, where their names differ from the format's."""


def _build_agent_locations() -> tuple[TextLocation, ...]:
    """Build the locations of the agents, which the discovery of agents lists."""
    return tuple(
        TextLocation(
            _AGENT_READERS.get(place.host, (place.host,)),
            "agent",
            f"{'' if place.scope == 'project' else '~/'}{place.folder}/{'**/' if place.nested else ''}*.md",
        )
        for place in AGENT_LOCATIONS
    )


TEXT_LOCATIONS = (
    TextLocation(_CLAUDE, "slash command", ".claude/commands/**/*.md"),
    TextLocation(_CLAUDE, "skill", ".claude/skills/*/SKILL.md"),
    TextLocation(_CLAUDE, "note", "CLAUDE.md"),
    TextLocation(_CLAUDE, "note", "CLAUDE.local.md"),
    TextLocation(_CLAUDE, "note", ".claude/CLAUDE.md"),
    TextLocation(_CLAUDE, "note", ".claude/rules/**/*.md"),
    TextLocation(_CLAUDE, "output style", ".claude/output-styles/*.md"),
    TextLocation(_CLAUDE, "settings file", ".claude/settings.json"),
    TextLocation(_CLAUDE, "settings file", ".claude/settings.local.json"),
    TextLocation(_CLAUDE, "slash command", "~/.claude/commands/**/*.md"),
    TextLocation(_CLAUDE, "skill", "~/.claude/skills/*/SKILL.md"),
    TextLocation(_CLAUDE, "note", "~/.claude/CLAUDE.md"),
    TextLocation(_CLAUDE, "output style", "~/.claude/output-styles/*.md"),
    TextLocation(_CURSOR, "slash command", ".cursor/commands/**/*.md"),
    TextLocation(_CURSOR, "skill", ".cursor/skills/*/SKILL.md"),
    TextLocation(_CURSOR, "note", ".cursor/rules/**/*.mdc"),
    TextLocation(_CURSOR, "note", ".cursorrules"),
    TextLocation(_CURSOR, "slash command", "~/.cursor/commands/**/*.md"),
    TextLocation(_COPILOT, "skill", ".github/skills/*/SKILL.md"),
    TextLocation(_COPILOT, "note", ".github/copilot-instructions.md"),
    TextLocation(_COPILOT, "note", ".github/instructions/**/*.instructions.md"),
    TextLocation(_VSCODE, "slash command", ".github/prompts/**/*.prompt.md"),
    TextLocation(_VSCODE, "agent", ".github/chatmodes/*.chatmode.md"),
    TextLocation(_CODEX, "slash command", "~/.codex/prompts/*.md"),
    TextLocation(_CODEX, "skill", "~/.codex/skills/*/SKILL.md"),
    TextLocation(_CODEX, "note", "~/.codex/AGENTS.md"),
    TextLocation(_GEMINI, "slash command", ".gemini/commands/**/*.toml"),
    TextLocation(_GEMINI, "skill", ".gemini/skills/*/SKILL.md"),
    TextLocation(_GEMINI, "note", "GEMINI.md"),
    TextLocation(_GEMINI, "slash command", "~/.gemini/commands/**/*.toml"),
    TextLocation(_GEMINI, "note", "~/.gemini/GEMINI.md"),
    TextLocation(_QWEN, "slash command", ".qwen/commands/**/*.toml"),
    TextLocation(_QWEN, "slash command", ".qwen/commands/**/*.md"),
    TextLocation(_QWEN, "skill", ".qwen/skills/*/SKILL.md"),
    TextLocation(_QWEN, "note", "QWEN.md"),
    TextLocation(_QWEN, "note", "~/.qwen/QWEN.md"),
    TextLocation(_OPENCODE, "slash command", ".opencode/command/**/*.md"),
    TextLocation(_OPENCODE, "slash command", ".opencode/commands/**/*.md"),
    TextLocation(_OPENCODE, "skill", ".opencode/skills/*/SKILL.md"),
    TextLocation(_OPENCODE, "slash command", "{config}/opencode/command/**/*.md"),
    TextLocation(_OPENCODE, "note", "{config}/opencode/AGENTS.md"),
    TextLocation(("zed",), "note", ".rules"),
    TextLocation(_WINDSURF, "slash command", ".windsurf/workflows/**/*.md"),
    TextLocation(_WINDSURF, "note", ".windsurf/rules/**/*.md"),
    TextLocation(_WINDSURF, "note", ".windsurfrules"),
    TextLocation(_CLINE, "note", ".clinerules"),
    TextLocation(_CLINE, "note", ".clinerules/**/*.md"),
    TextLocation(_CONTINUE, "note", ".continue/rules/**/*.md"),
    TextLocation(_CONTINUE, "slash command", ".continue/prompts/**/*.md"),
    TextLocation(("junie",), "note", ".junie/guidelines.md"),
    TextLocation(("junie",), "note", ".junie/AGENTS.md"),
    TextLocation(("kiro",), "note", ".kiro/steering/**/*.md"),
    TextLocation(_SHARED_SKILLS, "skill", ".agents/skills/*/SKILL.md"),
    TextLocation(_SHARED_NOTE, "note", "AGENTS.md"),
    *_build_agent_locations(),
)
"""In the order of the hosts; the files that `aur init` writes are among them."""
