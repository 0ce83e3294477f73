"""Load of a distribution's tool on first use; a broken one breaks nothing else."""

from __future__ import annotations

import contextlib
import sys
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault

from .declaration import describe_wrong_declaration
from .entries import list_entries
from .origin import describe_foreign_origin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.tools.core import Tool

    from .entries import ExtensionEntry

    AnyTool = Tool[Any, Any]

_MAX_LOADED = 1024


def find_extension(name: str, root: Path) -> AnyTool | None:
    """Return the tool of a distribution with this name; None if no distribution has one.

    Args:
        name: the tool's name.
        root: the project's folder, absolute and resolved, from which no code is loaded.

    Raises:
        Fault: UPSTREAM_ERROR for a tool that cannot be used, with the reason.
    """
    entries = [entry for entry in list_entries() if entry.name == name]
    if not entries:
        return None
    if len(entries) > 1:
        named = " and ".join(entry.distribution for entry in entries)
        raise _make_fault(entries[0], f"{named} both declare it")
    loaded = _load_entry(entries[0], root)
    if isinstance(loaded, Fault):
        raise loaded.with_traceback(None)
    return loaded


def list_extensions(root: Path) -> Iterator[tuple[ExtensionEntry, AnyTool | Fault]]:
    """Yield the entry of each tool with the tool, or the reason why it cannot be used.

    Args:
        root: the project's folder, absolute and resolved.
    """
    seen: set[str] = set()
    for entry in list_entries():
        if entry.name in seen:
            continue
        seen.add(entry.name)
        try:
            found = find_extension(entry.name, root)
        except Fault as fault:
            yield entry, fault
        else:
            if found is not None:
                yield entry, found


@lru_cache(maxsize=_MAX_LOADED)
def _load_entry(entry: ExtensionEntry, root: Path) -> AnyTool | Fault:
    """Import the declaration of an entry, and check it; return the fault of one that cannot be used."""
    reason = describe_foreign_origin(entry, root)
    if reason:
        return _make_fault(entry, reason)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # standard output may be a protocol's
            value: Any = attrgetter(entry.attribute)(import_module(entry.module))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything
        return _make_fault(entry, f"its import failed ({type(error).__name__}: {str(error)[:200]})")
    reason = describe_wrong_declaration(value, entry.name)
    return _make_fault(entry, reason) if reason else value


def _make_fault(entry: ExtensionEntry, reason: str) -> Fault:
    return Fault(
        Code.UPSTREAM_ERROR,
        f'the tool "{entry.name[:80]}" of {entry.distribution} cannot be used: {reason}',
        help="Correct or uninstall the distribution.",
        details={"tool": entry.name[:80], "distribution": entry.distribution},
    )
