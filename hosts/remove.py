"""Plan of the changes that remove Aurora from host files; nothing is written."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from .edit import drop_entry, have_same_values, read_entries
from .entry import find_own_entries
from .files import ChangePlan, ConfigFileError, ConfigProblem, Draft, Piece, read_original
from .install import add_stamp, build_problem, classify_owner, remove_block
from .settings import list_own_rules, remove_hooks, remove_rules
from .status import read_host_states

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from .host import ExtraFile, Host, Scope
    from .person import UserPaths


def plan_removal(root: Path, person: UserPaths, hosts: Sequence[Host], others: Iterable[Host] = ()) -> ChangePlan:
    """Plan the changes that remove this project's entries from host files.

    A file that still is what Aurora wrote gets its former content back, byte by byte, if that has the same values as
    what is left without Aurora's parts: a clone can bring backups. From any other file, Aurora's parts are removed.

    Args:
        root: the project's folder, resolved.
        person: the user's paths, whose files change too.
        hosts: the hosts.
        others: the hosts that stay: a note or a skill that one of them reads stays, if it starts Aurora here.

    Returns:
        Changes, and a problem for each file that is invalid or was edited since. No error is raised.
    """
    draft, problems = Draft(root, person, is_undo=True), list[ConfigProblem]()
    shared = _map_shared_extras(hosts, others, root, person)
    originals: dict[Path, tuple[str | None, Piece]] = {}
    pieces = [(host, piece) for host in hosts for piece in _iter_pieces(host, draft) if piece.file not in shared]
    for host, piece in pieces:
        try:
            _remove_piece(piece, draft, originals)
        except ConfigFileError as error:
            # An invalid file that does not name Aurora has nothing to remove, and is not mentioned.
            if draft.has_text(piece.file, "aur"):
                problems.append(build_problem(host, piece.file, error, draft, " --remove"))
    # What an edit leaves may differ in spacing from the file before; the backup restores every byte.
    for path, (original, piece) in originals.items():
        if _is_former(original, draft.read_text(path), piece):
            draft.replace(path, original)
    staying = {path: titles for path, titles in shared.items() if os.path.lexists(root / path)}
    return ChangePlan(draft.list_changes(), tuple(problems), shared=staying)


def _remove_piece(piece: Piece, draft: Draft, originals: dict[Path, tuple[str | None, Piece]]) -> None:
    """Remove a piece from the draft, and from what the file was before Aurora wrote it."""
    path = draft.resolve_path(piece.file)
    original = originals[path][0] if path in originals else read_original(path, draft.root, draft.person)
    left = piece.edit(original) if original is not None else None
    draft.apply(piece)
    if original is not None:
        originals[path] = left, piece


def _is_former(original: str | None, left: str | None, piece: Piece) -> bool:
    """Check that a backup says nothing else than what is left of the file: a clone can bring backups."""
    if piece.form is None:
        return (original or "").split() == (left or "").split()
    try:
        return have_same_values((original, left), piece.form, piece.fresh)
    except ConfigFileError:
        return False


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


def _map_shared_extras(
    hosts: Sequence[Host], others: Iterable[Host], root: Path, person: UserPaths
) -> dict[str, tuple[str, ...]]:
    """Map the texts of the hosts that others read, too, to the titles of those that start Aurora here."""
    wanted = {extra.path for host in hosts for extra in host.extras}
    found: dict[str, tuple[str, ...]] = {}
    for other in others:
        paths = [extra.path for extra in other.extras if extra.path in wanted and not extra.is_former]
        is_staying = other not in hosts and bool(paths)
        # A host that does not start Aurora here has no use for the text, even where it could read it.
        if is_staying and any(state.status == "connected" for state in read_host_states(other, root, person)):
            found |= {path: (*found.get(path, ()), other.title) for path in paths}
    return found


def _iter_pieces(host: Host, draft: Draft) -> Iterator[Piece]:
    """Yield what Aurora has in the files of a host, the last written first."""
    if host.hooks is not None:
        why, fresh = f"{host.title} gets no context from Aurora", host.hooks.fresh
        yield Piece(host.hooks.path, partial(_drop_hooks, host, draft), why, host.hooks.form, fresh)
    if host.allowance is not None:  # before the entry: the rules have the server's name, which its entry tells
        why = f"{host.title} asks again before it runs the tools"
        yield Piece(host.allowance.path, partial(_drop_rules, host, draft), why, host.allowance.form)
    scopes: list[tuple[str, Scope]] = [*((file, "project") for file in host.project), (host.user, "person")]
    for written, scope in scopes:
        why = f"{host.title} no longer starts Aurora"
        yield Piece(written, partial(_drop_entries, host, scope, draft), why, host.form, host.fresh)
    for extra in host.extras:
        why = "no agents' note" if extra.kind == "note" else f"no {extra.kind} for {host.title}"
        yield Piece(extra.path, partial(_drop_extra, extra), why)


def _drop_entries(host: Host, scope: Scope, draft: Draft, text: str | None) -> str | None:
    for name in find_own_entries(host, scope, draft.root, read_entries(host, text or "")):
        text = drop_entry(host, text or "", name)
    return text


def _drop_rules(host: Host, draft: Draft, text: str | None) -> str | None:
    return remove_rules(host, text, list_own_rules(host, draft)) if text is not None else None


def _drop_hooks(host: Host, draft: Draft, text: str | None) -> str | None:
    return remove_hooks(host, text, draft.root) if text is not None else None


def _drop_extra(extra: ExtraFile, text: str | None) -> str | None:
    if text is None:
        return None
    if extra.kind == "note":
        return remove_block(text)
    owner = classify_owner(text, add_stamp(extra.text, extra.path))
    if owner == "edited":
        raise ConfigFileError("it was edited since `aur init` wrote it", help="Delete the file if you do not need it.")
    return text if owner == "foreign" else None
