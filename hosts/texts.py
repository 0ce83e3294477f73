"""Texts that hosts read: slash commands, skills, agents, rules and notes."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .agents import AGENT_LOCATIONS
from .files import ConfigFileError, Draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .person import UserPaths


MAX_TEXT_BYTES = 1_000_000
"""Size limit of a text; a larger one is not read."""
MAX_TOTAL_BYTES = 30_000_000
"""Size limit of all texts together."""
_MAX_FILES = 300
_MAX_FOLDERS = 1_000
"""Limits of one location."""


@dataclass(frozen=True, slots=True)
class AssistantText:
    """Text file that hosts read.

    Attributes:
        path: its place, with links resolved.
        display_path: relative to the project, or `~/…`.
        kind: the name of such a text for people.
        hosts: the names of the hosts that read it.
        text: its content.
    """

    path: Path
    display_path: str
    kind: TextKind
    hosts: tuple[str, ...]
    text: str


def find_texts(root: Path, person: UserPaths) -> tuple[AssistantText, ...]:
    """Read the texts of all hosts in the project and in the user's folders, each once.

    Args:
        root: the project's folder, resolved.
        person: the user's paths.

    Returns:
        The readable texts, in the order of the locations. A file that is no UTF-8 text, too large, or a link that
        leads out of the project is left out; no file raises an error.
    """
    found: dict[Path, AssistantText] = {}
    draft = Draft(root, person)
    left = MAX_TOTAL_BYTES
    for location, written in _list_places(root, person):
        text = _read_text(written, location, draft, left)
        if text is None:
            continue
        known = found.get(text.path)
        if known is None:
            left -= len(text.text)
            found[text.path] = text
        else:  # a link to another text, which further hosts read
            found[text.path] = replace(known, hosts=tuple(dict.fromkeys((*known.hosts, *text.hosts))))
    return tuple(found.values())


def _list_places(root: Path, person: UserPaths) -> Iterator[tuple[TextLocation, str]]:
    """Yield each file of the locations with its location."""
    for location in TEXT_LOCATIONS:
        for written in _list_files(location, root, person):
            yield location, written


def _read_text(written: str, location: TextLocation, draft: Draft, left: int) -> AssistantText | None:
    try:
        path = draft.resolve_path(written)
        if path.stat().st_size > min(MAX_TEXT_BYTES, left):
            return None
        text = draft.read_text(path)
    except (ConfigFileError, OSError):
        return None
    if text is None:
        return None
    return AssistantText(path, draft.format_path(path), location.kind, location.hosts, text)


def _list_files(location: TextLocation, root: Path, person: UserPaths) -> Iterator[str]:
    """Yield the files of a location in the notation of `Draft.resolve_path`."""
    folder, _, name = location.path.rpartition("/")
    levels = 0
    if "*" not in location.path:
        yield location.path
        return
    if folder.endswith(("/**", "/*")):
        folder, _, wildcard = folder.rpartition("/")
        levels = _MAX_FOLDERS if wildcard == "**" else 1
    base = person.resolve_path(folder) if folder.startswith(("~/", "{")) else root / folder
    for path in islice(_walk_folder(base, name, levels), _MAX_FILES):
        yield f"{folder}/{path}"


def _walk_folder(base: Path, name: str, levels: int) -> Iterator[str]:
    """Yield the files with this name, or this end after `*`; follow no linked folder."""
    for here, folders, files in islice(os.walk(base), _MAX_FOLDERS):
        inner = os.path.relpath(here, base)
        depth = 0 if inner == os.curdir else inner.count(os.sep) + 1
        folders[:] = sorted(folders) if depth < levels else []
        for file in sorted(files):
            if file == name or (name.startswith("*") and file.endswith(name[1:])):
                yield file if depth == 0 else f"{Path(inner).as_posix()}/{file}"


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
