"""State of the index: complete or not, and which process works on it."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Fault
from aurora.system.files import identify_place, is_process_running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aurora.memory.storage.store import Store, Tables

COMPLETE, RUNNING, PARTIAL = "complete", "running", "partial"
"""Stored states: of the whole tree; of a run that goes on or was cut short; of some paths only."""
STOPPED = "stopped"
"""State of a run that was cut short, as `describe_state` tells it from one that goes on."""
_MAX_PID_DIGITS = 10
_STATE, _START = 0, 19
"""Places of the process's state and start among the fields of `/proc/PID/stat` after its name; see proc(5)."""

_active: set[str] = set()
"""Owners of the runs of this process."""


@contextmanager
def own_run(store: Store) -> Iterator[str]:
    """Yield the name of a new owner, which is active until the end of the context.

    After an exception the index has no owner, so that other processes know that the run was cut short.
    """
    pid = os.getpid()
    owner = f"{pid}.{identify_place()}.{_read_start(pid)}.{os.urandom(4).hex()}"
    _active.add(owner)
    try:
        yield owner
    except BaseException:
        with suppress(Fault):
            _release_run(store, owner)
        raise
    finally:
        _active.discard(owner)


def is_run_active(meta: Mapping[str, str]) -> bool:
    """Return True while a process works on the index, as far as this machine can tell.

    Args:
        meta: the metadata of the memory.
    """
    if meta.get("index_state") != RUNNING:
        return False
    owner = meta.get("index_owner", "")
    pid, place, start, *_ = (*owner.split("."), "", "")
    if not (pid.isdecimal() and len(pid) <= _MAX_PID_DIGITS) or place != identify_place():
        return False
    # The process exists, being this one; only the set tells whether its run does.
    if int(pid) == os.getpid():
        return owner in _active
    # A later process may have got the same id: the time of its start tells them apart.
    return is_process_running(int(pid)) and _read_start(int(pid)) in {start, ""}


def describe_state(store: Store, meta: Mapping[str, str]) -> str:
    """Describe the state of the index: as it is stored, or `STOPPED`; empty if it was never indexed.

    Args:
        store: the memory.
        meta: the metadata at some moment; read again before a run counts as cut short, since it may have ended.

    Raises:
        Fault: see `storage.Store`.
    """
    if meta.get("index_state") == RUNNING and not is_run_active(meta):
        with store.begin_read() as db:
            meta = db.meta.get_all()
        if meta.get("index_state") == RUNNING and not is_run_active(meta):
            return STOPPED
    return meta.get("index_state", "")


def mark_begun(db: Tables, owner: str, *, whole: bool) -> str:
    """Mark the index as being written; a part of the tree leaves an unfinished run as it is.

    Returns:
        The state before.
    """
    before = db.meta.get("index_state") or ""
    # A few files that are indexed meanwhile leave the mark of an unfinished run, or it would count as complete.
    if whole or before != RUNNING:
        db.meta.update(index_state=RUNNING, index_owner=owner)
    return before


def mark_ended(db: Tables, owner: str, before: str | None, *, whole: bool) -> None:
    """Mark the index as written, unless a later run owns it.

    Args:
        db: the tables of a write transaction.
        owner: the owner of the run.
        before: the state before the run; None when it found no changes, so that it was not marked as begun.
        whole: True for a run over the whole tree.
    """
    meta = db.meta.get_all()
    state = meta.get("index_state", "")
    if before is None:
        # A whole run that found no changes completes what a killed one left, but not what another process is writing.
        is_last = not is_run_active(meta)
        before = state
    else:
        is_last = state == RUNNING and meta.get("index_owner") == owner
    if is_last and (whole or before != RUNNING):
        db.meta.update(index_state=COMPLETE if whole else before or PARTIAL, index_owner="")


def _release_run(store: Store, owner: str) -> None:
    with store.begin_write() as db:
        if db.meta.get("index_owner") == owner:
            db.meta.update(index_owner="")


def _read_start(pid: int) -> str:
    """Read when a process started, which tells it from a later one of that id.

    Returns:
        Ticks since the system's start; empty where it does not tell; `ended` for a process that only waits to be
        collected by its parent.
    """
    try:
        # From the last bracket on: the name of the program stands in brackets and may itself contain blanks and
        # brackets.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return "ended" if fields[_STATE] in {b"Z", b"X"} else fields[_START].decode("ascii", "replace")
    except (OSError, IndexError):
        return ""
