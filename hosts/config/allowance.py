"""List of the tools that a host runs without asking, in the host's own settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aurora.hosts.formats import ConfigFileError, drop_entry, put_entry, read_entries
from aurora.hosts.launch import SERVER_NAME

from .draft import Draft
from .entries import choose_entry_name, find_own_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from aurora.hosts.host import Host, Scope, ToolAllowance
    from aurora.hosts.user_paths import UserPaths


def list_missing_rules(host: Host, root: Path, person: UserPaths, *, user: bool = False) -> tuple[str, ...]:
    """List the rules that the host's settings lack; empty without such settings, or for invalid ones.

    Args:
        host: the host.
        root: the project's folder, resolved.
        person: the user's paths.
        user: the server is in the user's file, as in `plan_changes`.
    """
    if host.allowance is None:
        return ()
    draft = Draft(root, person)
    try:
        text = draft.read_text(draft.resolve_path(host.allowance.path)) or ""
        rules = _make_rules(host.allowance, _find_server_name(host, draft, user=user))
        existing = _read_rules(host, host.allowance, text)
    except ConfigFileError:
        return ()
    return tuple(rule for rule in rules if rule not in existing)


def plan_allowance(host: Host, draft: Draft, *, user: bool) -> list[str]:
    """Plan the rules in the host's settings; return the file's name if it has them.

    Raises:
        ConfigFileError: the settings are invalid, or have another type where the rules belong.
    """
    allowance = host.allowance
    if allowance is None:
        return []
    path = draft.resolve_path(allowance.path)
    text = draft.read_text(path) or ""
    result = add_rules(host, text, _make_rules(allowance, _find_server_name(host, draft, user=user)))
    if result == text:
        return [draft.format_path(path)]
    draft.write(path, result, f"{host.title} runs the three tools without asking")
    return []


def add_rules(host: Host, text: str, rules: Iterable[str]) -> str:
    """Add the rules that the settings lack, behind the others."""
    allowance = _require_allowance(host)
    existing = _read_rules(host, allowance, text)
    missing = [rule for rule in rules if rule not in existing]
    return _put_rules(host, text, [*existing, *missing]) if missing else text


def remove_rules(host: Host, text: str, rules: Iterable[str]) -> str | None:
    """Remove the rules; None if nothing else is in the file."""
    allowance = _require_allowance(host)
    existing, unwanted = _read_rules(host, allowance, text), tuple(rules)  # a rule may be of any type
    left = [rule for rule in existing if rule not in unwanted]
    if left == existing:
        return text
    if left:
        return _put_rules(host, text, left)
    group, name = allowance.keys
    return drop_entry(replace(_to_settings(host, allowance), keys=(group,)), text, name)


def list_own_rules(host: Host, draft: Draft) -> tuple[str, ...]:
    """List the rules that allow the tools of this project's server, under each name that it has."""
    names = {SERVER_NAME}
    try:
        entries = read_entries(host, draft.read_text(draft.resolve_path(host.user)) or "")
        names.update(find_own_entries(host, "person", draft.root, entries))
    except ConfigFileError:
        pass  # the user's file is reported where its entry is removed
    return tuple(rule for name in sorted(names) for rule in _make_rules(_require_allowance(host), name))


def _find_server_name(host: Host, draft: Draft, *, user: bool) -> str:
    scope: Scope = "person" if user or not host.project else "project"
    if scope == "project":
        return SERVER_NAME
    entries = read_entries(host, draft.read_text(draft.resolve_path(host.user)) or "")
    return choose_entry_name(scope, draft.root, entries, host)


def _make_rules(allowance: ToolAllowance, server: str) -> tuple[str, ...]:
    return tuple(allowance.rule.format(server=server, tool=tool) for tool in allowance.tools)


def _require_allowance(host: Host) -> ToolAllowance:
    if host.allowance is None:
        raise LookupError(f'"{host.name}" has no settings for tools')
    return host.allowance


def _to_settings(host: Host, allowance: ToolAllowance) -> Host:
    """Return the host as the owner of its settings file, whose entries are the top-level keys."""
    return replace(host, keys=(), form=allowance.form, fresh={})


def _read_rules(host: Host, allowance: ToolAllowance, text: str) -> list[Any]:
    group, name = allowance.keys
    settings = read_entries(_to_settings(host, allowance), text)
    section = settings.get(group, {})
    rules = section.get(name, []) if isinstance(section, dict) else None
    if not isinstance(rules, list):
        raise ConfigFileError(f'"{group}.{name}" is not a list', help=f'Make "{group}.{name}" a list of rules.')
    return list(rules)


def _put_rules(host: Host, text: str, rules: Sequence[Any]) -> str:
    allowance = _require_allowance(host)
    group, name = allowance.keys
    result = put_entry(_to_settings(host, allowance), text, group, {name: list(rules)})
    before, after = (read_entries(_to_settings(host, allowance), one).get(group, {}) for one in (text, result))
    if {**before, name: None} != {**after, name: None}:
        raise ConfigFileError("an edit would change more than the rules for Aurora's tools")
    return result
