"""What would have to be written so that nothing of Aurora is left in hosts' files; nothing is written here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.hosts.formats import ConfigFileError, drop_entry, is_entry_removed, put_entry, read_entries

from .backups import iter_backups
from .change import ChangePlan, ConfigProblem
from .draft import Draft
from .entries import find_own_entries
from .markers import add_stamp, classify_owner, insert_block, remove_block
from .plan import build_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from aurora.hosts.host import ExtraFile, Host, Scope
    from aurora.hosts.user_paths import UserPaths


def plan_removal(root: Path, person: UserPaths, hosts: Iterable[Host]) -> ChangePlan:
    """The changes that take everything of ours for this project out of these hosts' files.

    A file that is just what we made of one that was kept becomes that again, to the byte. Where a person has edited it
    since, what we put into the kept one is taken out as it went in; if that cannot be found any more, ours is cut out.

    Args:
        root: the project's folder, resolved.
        person: whose own files are looked through too.
        hosts: which.

    Returns:
        Changes, and a trouble for each file that is broken or was edited since. Nothing is raised.
    """
    draft, troubles = Draft(root, person), list[ConfigProblem]()
    for host in hosts:
        for written, work in _iter_removals(host, draft):
            try:
                work()
            except ConfigFileError as broken:
                if draft.has_text(written, "aur"):
                    troubles.append(build_problem(host, written, broken, draft, " --remove"))
    return ChangePlan(draft.list_changes(), tuple(troubles))


def _iter_removals(host: Host, draft: Draft) -> Iterator[tuple[str, Callable[[], None]]]:
    for written in host.project:
        yield written, lambda written=written: _remove_entry(host, written, "project", draft)  # type: ignore[misc]  # a default binds it
    yield host.user, lambda: _remove_entry(host, host.user, "person", draft)
    for extra in host.extras:
        yield extra.path, lambda extra=extra: _remove_extra(host, extra, draft)  # type: ignore[misc]  # as above


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
            lambda old, name=name, entry=entry: _reinsert_entry(host, old, name, entry),  # type: ignore[misc]  # a default binds it
            lambda left, name=name, text=text: is_entry_removed(host, text, left, name),  # type: ignore[misc]  # as above
        )
        text = before if before is not None else drop_entry(host, text, name)
        draft.write(path, text, f"no server for {host.title}")
        if text is None:
            return


def _reinsert_entry(host: Host, old: str, name: str, entry: object) -> str:
    """What an old text would be with the entry; the old text when it had one already."""
    there = read_entries(host, old)
    return old if name in there or not isinstance(entry, dict) else put_entry(host, old, name, entry)


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
        held = classify_owner(text, add_stamp(extra.text, extra.path))
        if held == "edited":
            raise ConfigFileError(
                "it was edited since `aur init` wrote it", help="Delete the file if you do not need it."
            )
        left = text if held == "foreign" else None
    if left != text:
        draft.write(path, left, "no agents' note" if extra.kind == "note" else f"no {extra.kind} for {host.title}")


def _find_previous_text(
    path: Path, draft: Draft, made: Callable[[str], str], fits: Callable[[str], bool]
) -> str | None:
    """The kept text of which we made what is there now, or what is there now without what we put into a kept text.

    Args:
        path: the file.
        draft: has what it holds now.
        made: what we made of a text.
        fits: whether a text is what is there now without ours, and nothing else.
    """
    now = draft.read_text(path) or ""
    edited = None
    for data in iter_backups(path, draft.root, draft.person):
        try:
            old = data.decode("utf-8")
            ours = made(old) if old != now else now
            if ours == now != old:
                return old
            left = _remove_insertion(now, old, ours) if edited is None else None
            if left is not None and left.strip() and fits(left):
                edited = left
        except (ConfigFileError, UnicodeDecodeError):
            continue
    return edited


def _remove_insertion(now: str, old: str, ours: str) -> str | None:
    """The text without the piece that makes ours of the old one; None when it is not there just once."""
    start = next((at for at, (one, other) in enumerate(zip(old, ours, strict=False)) if one != other), len(old))
    piece = ours[start : start + len(ours) - len(old)]
    if not piece or ours[:start] + ours[start + len(piece) :] != old or now.count(piece) != 1:
        return None
    return now.replace(piece, "")
