"""Plan of the changes that remove Aurora from host files; nothing is written."""

from __future__ import annotations

import json
import os
import shlex
from functools import partial
from typing import TYPE_CHECKING

from .edit import drop_entry, is_entry_removed, put_entry, read_entries
from .entry import find_own_entries
from .files import ChangePlan, ConfigFileError, ConfigProblem, Draft, iter_backups
from .install import add_stamp, build_problem, classify_owner, insert_block, remove_block
from .settings import add_hooks, add_rules, list_own_rules, list_values, read_hooks, remove_hooks, remove_rules
from .status import read_host_states

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from .host import ExtraFile, Host, Scope
    from .person import UserPaths


def plan_removal(root: Path, person: UserPaths, hosts: Sequence[Host], others: Iterable[Host] = ()) -> ChangePlan:
    """Plan the changes that remove this project's entries from host files.

    If the file still is what Aurora made of a backup, the backup is restored byte by byte. If the user edited it since,
    the inserted piece is removed. If that piece is gone, the entry alone is removed.

    Args:
        root: the project's folder, resolved.
        person: the user's paths, whose files change too.
        hosts: the hosts.
        others: the hosts that stay: a note or a skill that one of them reads stays, if it starts Aurora here.

    Returns:
        Changes, and a problem for each file that is invalid or was edited since. No error is raised.
    """
    draft, problems = Draft(root, person), list[ConfigProblem]()
    read = _map_extras([other for other in others if other not in hosts], root, person)
    shared = {extra.path: read[extra.path] for host in hosts for extra in host.extras if extra.path in read}
    for host in hosts:
        for file, remove in _iter_removals(host, draft):
            if file in shared:
                continue
            try:
                remove()
            except ConfigFileError as error:
                if draft.has_text(file, "aur"):
                    problems.append(build_problem(host, file, error, draft, " --remove"))
    staying = {path: titles for path, titles in shared.items() if os.path.lexists(root / path)}
    return ChangePlan(draft.list_changes(), tuple(problems), shared=staying)


def list_own_changes(
    root: Path, person: UserPaths, hosts: Sequence[Host], read_before: Callable[[str], bytes | None]
) -> set[str]:
    """List the project's files in which Aurora's part is all that differs from an earlier state.

    Args:
        root: the project's folder, resolved.
        person: the user's paths.
        hosts: the hosts.
        read_before: returns the earlier content of a path; None if there was no file.
    """
    own = set[str]()
    for change in plan_removal(root, person, hosts).changes:
        if change.path.is_relative_to(root):
            before = read_before(change.display_path) if change.after is not None else None
            if change.after is None or (before is not None and _drop_block(before) == _drop_block(change.after)):
                own.add(change.display_path)
    return own


def _drop_block(data: bytes) -> str:
    """Return a text without white space, and without a block that Aurora wrote."""
    text = data.decode("utf-8", "replace")
    try:
        left = remove_block(text) or ""
    except ConfigFileError:
        left = text
    return "".join(left.split())


def _map_extras(hosts: Iterable[Host], root: Path, person: UserPaths) -> dict[str, tuple[str, ...]]:
    """Map the additional files of the hosts that start Aurora here to the titles of those that read each."""
    found: dict[str, tuple[str, ...]] = {}
    for host in hosts:
        if any(state.status == "connected" for state in read_host_states(host, root, person)):
            for extra in host.extras:
                if not extra.is_former:
                    found[extra.path] = (*found.get(extra.path, ()), host.title)
    return found


def _iter_removals(host: Host, draft: Draft) -> Iterator[tuple[str, Callable[[], None]]]:
    if host.hooks is not None:  # `aur init` wrote them last
        yield host.hooks.path, partial(_remove_hooks, host, host.hooks.path, draft)
    if host.allowance is not None:  # before the entry: the rules have the server's name, which its entry tells
        yield host.allowance.path, partial(_remove_allowance, host, host.allowance.path, draft)
    for written in host.project:
        yield written, partial(_remove_entry, host, written, "project", draft)
    yield host.user, partial(_remove_entry, host, host.user, "person", draft)
    for extra in host.extras:
        yield extra.path, partial(_remove_extra, host, extra, draft)


def _remove_entry(host: Host, written: str, scope: Scope, draft: Draft) -> None:
    path = draft.resolve_path(written)
    text = draft.read_text(path)
    if text is None:
        return
    entries = read_entries(host, text)
    for name in find_own_entries(host, scope, draft.root, entries):
        entry = entries[name]
        before = _find_previous_text(
            path,
            draft,
            partial(_reinsert_entry, host, name, entry),
            partial(is_entry_removed, host, name, text),
        )
        text = before if before is not None else drop_entry(host, text, name)
        draft.write(path, text, f"{host.title} no longer starts Aurora")
        if text is None:
            return


def _remove_allowance(host: Host, written: str, draft: Draft) -> None:
    path = draft.resolve_path(written)
    text = draft.read_text(path)
    if text is None:
        return
    rules = list_own_rules(host, draft)
    left = remove_rules(host, text, rules)
    if left == text:
        return
    added = [rule for rule in rules if json.dumps(rule) in text]
    before = _find_previous_text(path, draft, lambda old: add_rules(host, old, added), lambda _: False)
    draft.write(path, before if before is not None else left, f"{host.title} asks again before it runs the tools")


def _remove_hooks(host: Host, written: str, draft: Draft) -> None:
    path = draft.resolve_path(written)
    text = draft.read_text(path)
    if text is None:
        return
    left = remove_hooks(host, text, draft.root)
    if left == text:
        return
    commands = {event: shlex.join(argv) for event, argv in read_hooks(host, draft.root, draft.person).items()}
    rules: list[str] = []  # `aur init` may have written both into one file, with one backup of it
    if host.allowance is not None and host.allowance.path == written:
        rules = [rule for rule in list_own_rules(host, draft) if json.dumps(rule) in text]
    before = _find_previous_text(
        path,
        draft,
        lambda old: add_hooks(host, add_rules(host, old, rules) if rules else old, commands),
        lambda rest: list_values(host, rest) == list_values(host, left or ""),
    )
    if before is not None:
        left = add_rules(host, before, rules) if rules else before
    draft.write(path, left, f"{host.title} gets no context from Aurora")


def _reinsert_entry(host: Host, name: str, entry: object, old: str) -> str:
    """Return the old text with the entry; unchanged if it has one already."""
    existing = read_entries(host, old)
    return old if name in existing or not isinstance(entry, dict) else put_entry(host, old, name, entry)


def _remove_extra(host: Host, extra: ExtraFile, draft: Draft) -> None:
    path = draft.resolve_path(extra.path)
    text = draft.read_text(path)
    if text is None:
        return
    if extra.kind == "note":
        before = _find_previous_text(
            path, draft, lambda old: insert_block(old, extra.text), lambda left: remove_block(left) == left
        )
        left = before if before is not None else remove_block(text)
    else:
        owner = classify_owner(text, add_stamp(extra.text, extra.path))
        if owner == "edited":
            raise ConfigFileError(
                "it was edited since `aur init` wrote it", help="Delete the file if you do not need it."
            )
        left = text if owner == "foreign" else None
    if left != text:
        draft.write(path, left, "no agents' note" if extra.kind == "note" else f"no {extra.kind} for {host.title}")


def _find_previous_text(
    path: Path, draft: Draft, edit: Callable[[str], str], is_rest: Callable[[str], bool]
) -> str | None:
    """Find the text of the file before Aurora changed it.

    It is either the backup that Aurora's edit turned into the current text, or the current text without the
    piece that Aurora inserted into a backup.

    Args:
        path: the file.
        draft: the draft with the current text.
        edit: applies Aurora's edit to a text.
        is_rest: checks that a text is the current one without Aurora's part.
    """
    now = draft.read_text(path) or ""
    edited = None
    for data in iter_backups(path, draft.root, draft.person):
        try:
            old = data.decode("utf-8")
            edited_backup = edit(old) if old != now else now
            if edited_backup == now != old:
                return old
            left = _remove_insertion(now, old, edited_backup) if edited is None else None
            if left is not None and left.strip() and is_rest(left):
                edited = left
        except (ConfigFileError, UnicodeDecodeError):
            continue
    return edited


def _remove_insertion(now: str, old: str, edited: str) -> str | None:
    """Remove the inserted piece; None if it does not occur exactly once."""
    start = next((at for at, (left, right) in enumerate(zip(old, edited, strict=False)) if left != right), len(old))
    piece = edited[start : start + len(edited) - len(old)]
    if not piece or edited[:start] + edited[start + len(piece) :] != old or now.count(piece) != 1:
        return None
    return now.replace(piece, "")
