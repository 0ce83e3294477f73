"""Approval of Aurora's server by the person, as the host's own files record it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from aurora.hosts.formats import ConfigFileError, read_entries

from .draft import Draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.hosts.host import FileFormat, Host
    from aurora.hosts.user_paths import UserPaths

    from .status import HostState

Approval = Literal["yes", "no", "not known"]

_CLAUDE_SETTINGS = (".claude/settings.local.json", "~/.claude/settings.json")


def read_approval(host: Host, state: HostState, root: Path, person: UserPaths) -> Approval:
    """Read whether the person lets the host start the server of an entry in a project's file.

    Args:
        host: the host.
        state: the state of its file.
        root: the project's folder, resolved.
        person: the user's paths.

    Returns:
        `yes` also for the user's own file, which no known host asks about; `not known` where no file tells.
    """
    if state.scope == "person":
        return "yes"
    reader = _READERS.get(host.name)
    return "not known" if reader is None else reader(_Files(host, root, person), state.server)


class _Files:
    """Settings of one host."""

    def __init__(self, host: Host, root: Path, person: UserPaths) -> None:
        self.root = root
        self._host = host
        self._draft = Draft(root, person)

    def read(self, written: str, form: FileFormat = "json") -> dict[str, Any]:
        """Read the top level of a file; empty for one that is missing or broken."""
        try:
            text = self._draft.read_text(self._draft.resolve_path(written))
            return read_entries(replace(self._host, keys=(), form=form, fresh={}), text or "")
        except ConfigFileError:
            return {}


def _read_claude(files: _Files, server: str) -> Approval:
    projects = files.read("~/.claude.json").get("projects")
    project = projects.get(str(files.root)) if isinstance(projects, dict) else None
    settings = [*map(files.read, _CLAUDE_SETTINGS), project if isinstance(project, dict) else {}]
    if any(_lists(one, "disabledMcpjsonServers", server) for one in settings):
        return "no"
    approved = any(_lists(one, "enabledMcpjsonServers", server) for one in settings)
    return "yes" if approved or any(one.get("enableAllProjectMcpServers") is True for one in settings) else "no"


def _read_codex(files: _Files, _: str) -> Approval:
    projects = files.read("~/.codex/config.toml", "toml").get("projects")
    project = projects.get(str(files.root)) if isinstance(projects, dict) else None
    return "yes" if isinstance(project, dict) and project.get("trust_level") == "trusted" else "no"


def _read_gemini(files: _Files, _: str) -> Approval:
    trusted = set()
    rules = files.read("~/.gemini/trustedFolders.json", "json-comments")
    for folder, rule in rules.items():
        if rule in ("TRUST_FOLDER", "TRUST_PARENT"):  # any JSON value, which a set may not take
            trusted.add(Path(folder) if rule == "TRUST_FOLDER" else Path(folder).parent)
    is_refused = rules.get(str(files.root)) == "DO_NOT_TRUST"
    return "yes" if not is_refused and trusted & {files.root, *files.root.parents} else "no"


def _read_copilot(files: _Files, _: str) -> Approval:
    folders = files.read("~/.copilot/config.json", "json-comments").get("trustedFolders")
    return "yes" if isinstance(folders, list) and str(files.root) in folders else "no"


def _lists(settings: dict[str, Any], key: str, server: str) -> bool:
    names = settings.get(key)
    return isinstance(names, list) and server in names


_READERS: dict[str, Callable[[_Files, str], Approval]] = {
    "claude-code": _read_claude,
    "codex": _read_codex,
    "gemini": _read_gemini,
    "opencode": lambda _files, _server: "yes",  # it does not ask
    "copilot-cli": _read_copilot,
}
