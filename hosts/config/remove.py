"""What would have to be written so that nothing of Aurora is left in hosts' files; nothing is written here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.hosts.formats.errors import Broken
from aurora.hosts.formats.formats import drop_entry, is_without, put_entry, read_entries

from .backups import kept
from .change import Plan, Trouble
from .draft import Draft
from .entries import ours_in
from .markers import stamped, whose, with_block, without_block
from .plan import trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from aurora.hosts.host import Extra, Host, Scope
    from aurora.hosts.user_paths import Person


def plan_removal(root: Path, person: Person, hosts: Iterable[Host]) -> Plan:
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
    draft, troubles = Draft(root, person), list[Trouble]()
    for host in hosts:
        for written, work in _parts(host, draft):
            try:
                work()
            except Broken as broken:
                if draft.mentions(written, "aur"):
                    troubles.append(trouble(host, written, broken, draft, " --remove"))
    return Plan(draft.changes(), tuple(troubles))


def _parts(host: Host, draft: Draft) -> Iterator[tuple[str, Callable[[], None]]]:
    for written in host.project:
        yield written, lambda written=written: _entry(host, written, "project", draft)  # type: ignore[misc]  # a default binds it
    yield host.user, lambda: _entry(host, host.user, "person", draft)
    for extra in host.extras:
        yield extra.path, lambda extra=extra: _extra(host, extra, draft)  # type: ignore[misc]  # as above


def _entry(host: Host, written: str, scope: Scope, draft: Draft) -> None:
    path = draft.place(written)
    text = draft.text(path)
    if text is None:
        return
    entries = read_entries(host, text)
    for name in ours_in(host, scope, draft.root, entries):
        entry = entries[name]
        before = _before(
            path,
            draft,
            lambda old, name=name, entry=entry: _again(host, old, name, entry),  # type: ignore[misc]  # a default binds it
            lambda left, name=name, text=text: is_without(host, text, left, name),  # type: ignore[misc]  # as above
        )
        text = before if before is not None else drop_entry(host, text, name)
        draft.write(path, text, f"no server for {host.title}")
        if text is None:
            return


def _again(host: Host, old: str, name: str, entry: object) -> str:
    """What an old text would be with the entry; the old text when it had one already."""
    there = read_entries(host, old)
    return old if name in there or not isinstance(entry, dict) else put_entry(host, old, name, entry)


def _extra(host: Host, extra: Extra, draft: Draft) -> None:
    path = draft.place(extra.path)
    text = draft.text(path)
    if text is None:
        return
    if extra.kind == "note":
        before = _before(path, draft, lambda old: with_block(old, extra.text), lambda left: without_block(left) == left)
        left = before if before is not None else without_block(text)
    else:
        held = whose(text, stamped(extra.text, extra.path))
        if held == "edited":
            raise Broken("it was edited since `aur init` wrote it", help="Delete the file if you do not need it.")
        left = text if held == "foreign" else None
    if left != text:
        draft.write(path, left, "no agents' note" if extra.kind == "note" else f"no {extra.kind} for {host.title}")


def _before(path: Path, draft: Draft, made: Callable[[str], str], fits: Callable[[str], bool]) -> str | None:
    """The kept text of which we made what is there now, or what is there now without what we put into a kept text.

    Args:
        path: the file.
        draft: has what it holds now.
        made: what we made of a text.
        fits: whether a text is what is there now without ours, and nothing else.
    """
    now = draft.text(path) or ""
    edited = None
    for data in kept(path, draft.root, draft.person):
        try:
            old = data.decode("utf-8")
            ours = made(old) if old != now else now
            if ours == now != old:
                return old
            left = _taken_out(now, old, ours) if edited is None else None
            if left is not None and left.strip() and fits(left):
                edited = left
        except (Broken, UnicodeDecodeError):
            continue
    return edited


def _taken_out(now: str, old: str, ours: str) -> str | None:
    """The text without the piece that makes ours of the old one; None when it is not there just once."""
    start = next((at for at, (one, other) in enumerate(zip(old, ours, strict=False)) if one != other), len(old))
    piece = ours[start : start + len(ours) - len(old)]
    if not piece or ours[:start] + ours[start + len(piece) :] != old or now.count(piece) != 1:
        return None
    return now.replace(piece, "")
