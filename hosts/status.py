"""Connection status of a host in one project, read from its files."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .edit import read_entries
from .entry import (
    SERVER_NAME,
    can_serve,
    choose_file,
    find_executable,
    find_missing_fields,
    find_missing_http_fields,
    is_aurora_command,
    is_bare,
    is_own_http_entry,
    read_argv,
    read_url,
)
from .files import ConfigFileError, Draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from .host import FileFormat, Host, Scope
    from .person import UserPaths


HostStatus = Literal["connected", "absent", "incomplete", "stale", "taken", "broken"]
"""Complete; no entry; missing fields; program not found; name used by another server; unreadable file."""


@dataclass(frozen=True, slots=True)
class HostState:
    """Connection status of one configuration file.

    Attributes:
        host: the host's name.
        scope: the file of the `project` or of the `person`.
        file: the path relative to the project, or as `~/…`.
        status: the connection status.
        server: the name of the entry; empty without one.
        argv: the command line of the server; empty without an entry.
        url: the address of the server, in an entry over HTTP; else empty.
        message: the problem with its position; empty if there is none.
        help: the fix.
        is_off: the entry is complete, and switched off.
    """

    host: str
    scope: Scope
    file: str
    status: HostStatus
    server: str = ""
    argv: tuple[str, ...] = ()
    message: str = ""
    help: str = ""
    is_off: bool = False
    url: str = ""


def read_host_states(host: Host, root: Path, person: UserPaths) -> tuple[HostState, ...]:
    """Read the status of the project's and the user's file.

    One connected file is enough. The user's file is included only if it has an entry.

    Returns:
        One or two states; no file raises an error.
    """
    own = read_host_state(host, root, person, "person")
    if not host.project:
        return (own,)
    shared = read_host_state(host, root, person, "project")
    if own.status == "absent":
        return (shared,)
    return (own,) if (shared.status, own.status) == ("absent", "connected") else (shared, own)


def read_host_state(host: Host, root: Path, person: UserPaths, scope: Scope) -> HostState:
    """Read the status of one configuration file without raising an error.

    Args:
        host: a host with a file of that scope.
        root: the project's folder, resolved.
        person: the user's paths.
        scope: the project's file or the user's.
    """
    draft = Draft(root, person)
    written = choose_file(host, scope, draft)
    shown = written
    try:
        path = draft.resolve_path(written)
        shown = draft.format_path(path)
        entries = read_entries(host, draft.read_text(path) or "")
    except ConfigFileError as broken:
        if scope == "person" and not os.path.lexists(person.resolve_path(written)):
            return _classify_entries(host, scope, shown, {}, draft)  # a file in an unreadable folder counts as absent
        place = f"{shown}:{broken.line}:{broken.column}" if broken.line else shown
        return HostState(
            host.name,
            scope,
            shown,
            "broken",
            message=f"{place}: {broken.message}",
            help=f"{broken.help or f'Fix {shown}.'} Then run `aur init --hosts {host.name}`.",
        )
    return _classify_entries(host, scope, shown, entries, draft)


def _classify_entries(host: Host, scope: Scope, file: str, entries: dict[str, Any], draft: Draft) -> HostState:
    name = next(
        (name for name, entry in entries.items() if _is_for_project(host, scope, draft.root, name, entry)), None
    )
    if name is None:
        return _classify_other(host, scope, file, entries)
    if is_own_http_entry(host, scope, draft.root, name, entries[name]):
        return _classify_http(host, scope, file, name, entries[name])
    entry, fix = entries[name], _describe_fix(host, scope)
    argv, missing = read_argv(host, entry), find_missing_fields(host, entry)
    name = name.encode("utf-8", "replace").decode("utf-8")  # JSON can contain a lone surrogate
    if missing:
        return HostState(host.name, scope, file, "incomplete", name, argv, _describe_lack(file, name, missing), fix)
    if find_executable(argv, draft.root, draft.person) is None:
        message = f'{file}: the entry "{name}" starts "{argv[0]}", which is not an executable program here'
        on_path = f"Put `{argv[0]}` on PATH, for example with `uv tool install` or pipx."
        return HostState(host.name, scope, file, "stale", name, argv, message, on_path if is_bare(argv) else fix)
    return HostState(host.name, scope, file, "connected", name, argv, is_off=_is_switched_off(entry))


def _classify_other(host: Host, scope: Scope, file: str, entries: dict[str, Any]) -> HostState:
    """Classify a file without an entry of Aurora for the project."""
    fix = _describe_fix(host, scope)
    # In the user's file an entry of the name may be that of another project.
    if scope != "project" or SERVER_NAME not in entries:
        return HostState(host.name, scope, file, "absent", help=fix)
    argv, url = read_argv(host, entries[SERVER_NAME]), read_url(host, entries[SERVER_NAME])
    if not argv and not url:
        message = f'{file}: the entry "{SERVER_NAME}" names no program to start'
        return HostState(host.name, scope, file, "incomplete", SERVER_NAME, message=message, help=fix)
    other = f"starts {_describe_command(argv)}" if argv else "leads to another server"
    message = f'{file}: the entry "{SERVER_NAME}" {other}'
    return HostState(host.name, scope, file, "taken", SERVER_NAME, message=message, help="Rename that entry.")


def _classify_http(host: Host, scope: Scope, file: str, name: str, entry: dict[str, Any]) -> HostState:
    """Classify an entry for a server over HTTP."""
    url, missing = read_url(host, entry), find_missing_http_fields(host, entry)
    if missing:
        fix = f"{_describe_fix(host, scope)[:-2]} --url {url}`."
        message = _describe_lack(file, name, missing)
        return HostState(host.name, scope, file, "incomplete", name, message=message, help=fix, url=url)
    return HostState(host.name, scope, file, "connected", name, is_off=_is_switched_off(entry), url=url)


def _describe_fix(host: Host, scope: Scope) -> str:
    return f"Run `aur init --hosts {host.name}{' --user' if scope == 'person' and host.project else ''}`."


def _describe_lack(file: str, name: str, missing: tuple[str, ...]) -> str:
    quoted = ", ".join(f'"{key}"' for key in missing)
    return f'{file}: the entry "{name}" lacks {quoted}'


def _is_switched_off(entry: dict[str, Any]) -> bool:
    return entry.get("disabled") is True or entry.get("enabled") is False


def _describe_command(argv: tuple[str, ...]) -> str:
    return "Aurora for another project" if is_aurora_command(argv) else f'another program, "{argv[0][:80]}"'


def _is_for_project(host: Host, scope: Scope, root: Path, name: str, entry: Any) -> bool:
    if is_own_http_entry(host, scope, root, name, entry):
        return True
    argv = read_argv(host, entry)
    # In a file of the user each project has its own entry, whose name depends on the folder.
    return is_aurora_command(argv) and (name == SERVER_NAME or scope == "person") and can_serve(root, argv)


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
    # Claude Code records the answer in one of three files; a refusal in any of them counts.
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
