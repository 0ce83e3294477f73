"""Plan of the changes that remove Aurora from host files; nothing is written."""

from __future__ import annotations

import json
import os
import shlex
from functools import partial
from typing import TYPE_CHECKING

from .edit import drop_entry, is_entry_removed, put_entry, read_entries
from .entry import find_own_entries
from .files import ChangePlan, ConfigFileError, ConfigProblem, Draft, Piece, iter_backups
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
        for piece in _iter_pieces(host, draft):
            if piece.file in shared:
                continue
            try:
                draft.apply(piece)
            except ConfigFileError as error:
                if draft.has_text(piece.file, "aur"):
                    problems.append(build_problem(host, piece.file, error, draft, " --remove"))
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


def _iter_pieces(host: Host, draft: Draft) -> Iterator[Piece]:
    """Yield what Aurora has in the files of a host, the last written first."""
    if host.hooks is not None:
        drop_hooks = partial(_drop_hooks, host, host.hooks.path, draft)
        yield Piece(host.hooks.path, drop_hooks, f"{host.title} gets no context from Aurora")
    if host.allowance is not None:  # before the entry: the rules have the server's name, which its entry tells
        drop_rules = partial(_drop_rules, host, host.allowance.path, draft)
        yield Piece(host.allowance.path, drop_rules, f"{host.title} asks again before it runs the tools")
    scopes: list[tuple[str, Scope]] = [*((file, "project") for file in host.project), (host.user, "person")]
    for written, scope in scopes:
        drop_entries = partial(_drop_entries, host, written, scope, draft)
        yield Piece(written, drop_entries, f"{host.title} no longer starts Aurora")
    for extra in host.extras:
        why = "no agents' note" if extra.kind == "note" else f"no {extra.kind} for {host.title}"
        yield Piece(extra.path, partial(_drop_extra, extra, draft), why)


def _drop_entries(host: Host, written: str, scope: Scope, draft: Draft, text: str | None) -> str | None:
    entries = read_entries(host, text or "")
    for name in find_own_entries(host, scope, draft.root, entries):
        if text is None:
            break
        put = partial(_reinsert_entry, host, name, entries[name])
        before = _find_previous_text(written, draft, text, put, partial(is_entry_removed, host, name, text))
        text = before if before is not None else drop_entry(host, text, name)
    return text


def _drop_rules(host: Host, written: str, draft: Draft, text: str | None) -> str | None:
    rules = list_own_rules(host, draft)
    left = remove_rules(host, text, rules) if text is not None else None
    if left == text or text is None:
        return text
    added = [rule for rule in rules if json.dumps(rule) in text]
    before = _find_previous_text(written, draft, text, lambda old: add_rules(host, old, added), lambda _: False)
    return before if before is not None else left


def _drop_hooks(host: Host, written: str, draft: Draft, text: str | None) -> str | None:
    left = remove_hooks(host, text, draft.root) if text is not None else None
    if left == text or text is None:
        return text
    commands = {event: shlex.join(argv) for event, argv in read_hooks(host, draft.root, draft.person).items()}
    rules: list[str] = []  # `aur init` may have written both into one file, with one backup of it
    if host.allowance is not None and host.allowance.path == written:
        rules = [rule for rule in list_own_rules(host, draft) if json.dumps(rule) in text]
    before = _find_previous_text(
        written,
        draft,
        text,
        lambda old: add_hooks(host, add_rules(host, old, rules) if rules else old, commands),
        lambda rest: list_values(host, rest) == list_values(host, left or ""),
    )
    if before is None:
        return left
    return add_rules(host, before, rules) if rules else before


def _reinsert_entry(host: Host, name: str, entry: object, old: str) -> str:
    """Return the old text with the entry; unchanged if it has one already."""
    existing = read_entries(host, old)
    return old if name in existing or not isinstance(entry, dict) else put_entry(host, old, name, entry)


def _drop_extra(extra: ExtraFile, draft: Draft, text: str | None) -> str | None:
    if text is None:
        return None
    if extra.kind == "note":
        put = partial(insert_block, body=extra.text)
        before = _find_previous_text(extra.path, draft, text, put, lambda left: remove_block(left) == left)
        return before if before is not None else remove_block(text)
    owner = classify_owner(text, add_stamp(extra.text, extra.path))
    if owner == "edited":
        raise ConfigFileError("it was edited since `aur init` wrote it", help="Delete the file if you do not need it.")
    return text if owner == "foreign" else None


def _find_previous_text(
    written: str, draft: Draft, now: str, edit: Callable[[str], str], is_rest: Callable[[str], bool]
) -> str | None:
    """Find the text of the file before Aurora changed it.

    It is either the backup that Aurora's edit turned into the current text, or the current text without the
    piece that Aurora inserted into a backup.

    Args:
        written: the file.
        draft: the draft of the project.
        now: the current text.
        edit: applies Aurora's edit to a text.
        is_rest: checks that a text is the current one without Aurora's part.
    """
    edited = None
    for data in iter_backups(draft.resolve_path(written), draft.root, draft.person):
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
