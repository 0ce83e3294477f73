"""Settings of a host besides its servers: hooks, and tools that run without asking."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .edit import drop_entry, put_entry, read_entries
from .entry import (
    SERVER_NAME,
    choose_entry_name,
    find_own_entries,
    is_aurora_program,
    read_project_option,
    split_trusted_command,
)
from .files import ConfigFileError, Draft
from .host import HookSettings
from .registry import HOSTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from .entry import Launch
    from .host import Host, Scope, ToolAllowance
    from .person import UserPaths


_GROUP = "hooks"
_WORD = "hook"
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<comment>//|/\*)')


def read_hooks(host: Host, root: Path, person: UserPaths) -> dict[str, tuple[str, ...]]:
    """Read the hooks of this project in a host's settings: Aurora's event and the command line.

    Returns:
        Empty without hooks, and for settings that cannot be read.
    """
    if host.hooks is None:
        return {}
    draft = Draft(root, person)
    try:
        text = draft.read_text(draft.resolve_path(host.hooks.path)) or ""
        groups = _read_groups(host, text)
    except ConfigFileError:
        return {}
    found = {}
    for event, name in host.hooks.events.items():
        for command in _list_commands(groups.get(name), host.hooks):
            argv = _split_command(command)
            if _is_own_hook(argv, event, host.hooks, root):
                found[event] = argv
    return found


def list_foreign_programs(host: Host, root: Path, person: UserPaths) -> tuple[tuple[str, ...], ...]:
    """List the programs of a host's hooks that a clone may have chosen, each as its words before `hook`.

    A file of the user's account is never one of a clone. In a file of the project only the program of the running
    installation, and `aur` on PATH, are known to be Aurora's.
    """
    if host.hooks is None or host.hooks.path.startswith("~/"):
        return ()
    programs = {argv[: argv.index(_WORD)] for argv in read_hooks(host, root, person).values()}
    # Any argument makes a program foreign too: only `aur` itself before `hook` is known to be harmless.
    return tuple(words for words in sorted(programs) if split_trusted_command(words, root, person) != ())


def list_missing_events(host: Host, root: Path, person: UserPaths) -> tuple[str, ...]:
    """List the events without a hook where others have one.

    An earlier version did not write `file-use`.
    """
    found = read_hooks(host, root, person)
    if host.hooks is None or not found:
        return ()
    return tuple(event for event in host.hooks.events if event not in found)


def find_hooked_hosts(root: Path, person: UserPaths) -> tuple[Host, ...]:
    """Return the hosts that have hooks of this project."""
    return tuple(host for host in HOSTS if read_hooks(host, root, person))


def put_hooks(host: Host, root: Path, launch: Launch, text: str | None) -> str:
    """Put the hooks of this project into the host's settings, in place of former ones.

    Raises:
        ConfigFileError: the settings are invalid, or have another type where the hooks belong.
    """
    commands = build_hook_commands(_require_hooks(host), root, launch)
    # Hooks of a former installation would run besides the new ones.
    return add_hooks(host, remove_hooks(host, text or "", root, kept=commands) or "", commands)


def build_hook_commands(settings: HookSettings, root: Path, launch: Launch) -> dict[str, str]:
    """Build the command of each event; in a file for all projects it names the project."""
    where = ("--project", str(root)) if settings.path.startswith("~/") else ()
    return {event: shlex.join((*launch.own, _WORD, event, *where)) for event in settings.events}


def add_hooks(host: Host, text: str, commands: Mapping[str, str]) -> str:
    """Add the commands that the settings lack, behind those of others."""
    settings = _require_hooks(host)
    groups = _read_groups(host, text)
    changed = {}
    for event, name in settings.events.items():
        existing = _read_list(groups, name)
        if event in commands and commands[event] not in _list_commands(existing, settings):
            handler = {
                "type": "command",
                settings.command_key: commands[event],
                settings.timeout_key: settings.timeout,
            }
            matcher = {"matcher": settings.matchers[event]} if event in settings.matchers else {}
            changed[name] = [*existing, {**matcher, **({"hooks": [handler]} if settings.is_grouped else handler)}]
    return _put_lists(_to_owner(host, settings), text, _GROUP, changed) if changed else text


def remove_hooks(host: Host, text: str, root: Path, kept: Mapping[str, str] | None = None) -> str | None:
    """Remove the hooks of this project, except the `kept` commands; None if nothing else is in the file."""
    settings = _require_hooks(host)
    left: str | None = text
    for event, name in settings.events.items():
        existing = _read_list(_read_groups(host, left or ""), name)
        is_unwanted = partial(_is_unwanted, event=event, settings=settings, root=root, kept=(kept or {}).get(event))
        remaining = _filter_items(existing, settings, is_unwanted)
        if remaining == existing or left is None:
            continue
        if remaining:
            left = _put_lists(_to_owner(host, settings), left, _GROUP, {name: remaining})
        else:
            # An event without hooks goes with its key, so that a file that had none is what it was.
            left = drop_entry(_to_owner(host, settings, _GROUP), left, name)
    return left


def _is_unwanted(command: str, *, event: str, settings: HookSettings, root: Path, kept: str | None) -> bool:
    return command != kept and _is_own_hook(_split_command(command), event, settings, root)


def _filter_items(items: list[Any], settings: HookSettings, is_unwanted: Callable[[str], bool]) -> list[Any]:
    """Remove the unwanted commands, and the groups that have no other."""

    def is_wanted(handler: Any) -> bool:
        command = _read_command(handler, settings)
        # A handler of another form is another program's, and stays.
        return command is None or not is_unwanted(command)

    if not settings.is_grouped:
        return list(filter(is_wanted, items))
    remaining = []
    for item in items:
        handlers = _list_handlers(item)
        wanted = list(filter(is_wanted, handlers))
        if wanted == handlers:
            remaining.append(item)
        elif wanted:
            remaining.append({**item, "hooks": wanted})
    return remaining


def _list_commands(items: Any, settings: HookSettings) -> list[str]:
    items = items if isinstance(items, list) else []
    handlers = [one for item in items for one in _list_handlers(item)] if settings.is_grouped else items
    return [command for one in handlers if (command := _read_command(one, settings)) is not None]


def _list_handlers(group: Any) -> list[Any]:
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []


def _read_command(handler: Any, settings: HookSettings) -> str | None:
    command = handler.get(settings.command_key) if isinstance(handler, dict) else None
    return command if isinstance(command, str) else None


def _split_command(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:
        return ()


def _is_own_hook(argv: tuple[str, ...], event: str, settings: HookSettings, root: Path) -> bool:
    """Return whether a command line is Aurora's hook of an event for this project."""
    if _WORD not in argv:
        return False
    place = argv.index(_WORD)
    if argv[place + 1 : place + 2] != (event,) or not any(map(is_aurora_program, argv[:place])):
        return False
    # A file of the user holds the hooks of all projects, told apart by the folder that each names.
    return not settings.path.startswith("~/") or read_project_option(argv) == str(root)


def _require_hooks(host: Host) -> HookSettings:
    if host.hooks is None:
        raise LookupError(f'"{host.name}" has no settings for hooks')
    return host.hooks


def _read_groups(host: Host, text: str) -> dict[str, Any]:
    groups = read_entries(_to_owner(host, _require_hooks(host)), text).get(_GROUP, {})
    if not isinstance(groups, dict):
        raise ConfigFileError(f'"{_GROUP}" is not an object', help=f'Make "{_GROUP}" an object with a list per event.')
    return groups


def _read_list(groups: Mapping[str, Any], name: str) -> list[Any]:
    items = groups.get(name, [])
    if not isinstance(items, list):
        raise ConfigFileError(f'"{_GROUP}.{name}" is not a list', help=f'Make "{_GROUP}.{name}" a list of hooks.')
    return list(items)


def _to_owner(host: Host, settings: HookSettings | ToolAllowance, *keys: str) -> Host:
    """Return the host as the owner of its settings file, whose entries are the keys of an object in it."""
    fresh = settings.fresh if isinstance(settings, HookSettings) else {}
    return replace(host, keys=keys, form=settings.form, fresh=fresh)


def _put_lists(owner: Host, text: str, group: str, changed: Mapping[str, list[Any]]) -> str:
    """Replace these lists of an object in the settings.

    Raises:
        ConfigFileError: anything else would change, or a comment would be lost.
    """
    result = put_entry(owner, text, group, dict(changed))
    before, after = (read_entries(owner, one).get(group, {}) for one in (text, result))
    # The editor guards everything outside of the object; this guards the other keys in it.
    if {**before, **dict.fromkeys(changed)} != {**after, **dict.fromkeys(changed)}:
        raise ConfigFileError("an edit would change more than Aurora's part")
    # A list is written as a whole, so a comment between its items would go unnoticed.
    if _count_comments(result) < _count_comments(text):
        raise ConfigFileError(f"a comment between the {group} would be lost", help="Move the comment out of the list.")
    return result


def _count_comments(text: str) -> int:
    return sum(1 for found in _COMMENT.finditer(text) if found["comment"])


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


def put_rules(host: Host, draft: Draft, text: str | None, *, user: bool) -> str:
    """Put the rules for Aurora's tools into the host's settings.

    Raises:
        ConfigFileError: the settings are invalid, or have another type where the rules belong.
    """
    server = _find_server_name(host, draft, user=user)
    return add_rules(host, text or "", _make_rules(_require_allowance(host), server))


def add_rules(host: Host, text: str, rules: Iterable[str]) -> str:
    """Add the rules that the settings lack, behind the others."""
    allowance = _require_allowance(host)
    existing = _read_rules(host, allowance, text)
    missing = [rule for rule in rules if rule not in existing]
    group, name = allowance.keys
    return _put_lists(_to_owner(host, allowance), text, group, {name: [*existing, *missing]}) if missing else text


def remove_rules(host: Host, text: str, rules: Iterable[str]) -> str | None:
    """Remove the rules; None if nothing else is in the file."""
    allowance = _require_allowance(host)
    existing, unwanted = _read_rules(host, allowance, text), tuple(rules)  # a rule may be of any type
    left = [rule for rule in existing if rule not in unwanted]
    if left == existing:
        return text
    group, name = allowance.keys
    if left:
        return _put_lists(_to_owner(host, allowance), text, group, {name: left})
    return drop_entry(_to_owner(host, allowance, group), text, name)


def list_own_rules(host: Host, draft: Draft) -> tuple[str, ...]:
    """List the rules that allow the tools of this project's server, under each name that it has."""
    # Rules of the project's name and of the user's, since `aur init` may have written both with and without `--user`.
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


def _read_rules(host: Host, allowance: ToolAllowance, text: str) -> list[Any]:
    group, name = allowance.keys
    settings = read_entries(_to_owner(host, allowance), text)
    section = settings.get(group, {})
    rules = section.get(name, []) if isinstance(section, dict) else None
    if not isinstance(rules, list):
        raise ConfigFileError(f'"{group}.{name}" is not a list', help=f'Make "{group}.{name}" a list of rules.')
    return list(rules)
