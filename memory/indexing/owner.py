"""Owner of an indexing run: tells a run that goes on from one that was cut short."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aurora.faults import identify_place, is_process_running

if TYPE_CHECKING:
    from collections.abc import Iterator

_active: set[str] = set()
"""Owners of the runs of this process."""


@contextmanager
def own_run() -> Iterator[str]:
    """Yield the name of a new owner, which is active until the end of the context."""
    owner = f"{os.getpid()}.{identify_place()}.{os.urandom(4).hex()}"
    _active.add(owner)
    try:
        yield owner
    finally:
        _active.discard(owner)


def is_run_active(owner: str) -> bool:
    """Return True while the process of a run works on it, as far as this machine can tell."""
    pid, _, rest = owner.partition(".")
    if not pid.isdecimal() or rest.partition(".")[0] != identify_place():
        return False
    return owner in _active if int(pid) == os.getpid() else is_process_running(int(pid))
