"""Signals before a server listens: a stop ends the programs that it has started."""

from __future__ import annotations

import contextlib
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Let SIGTERM raise SystemExit within this block, so that each `finally` runs, as SIGINT does."""

    def leave(*_given: object) -> None:
        sys.exit(0)  # as a stop of a server that listens

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
