"""Begin of a server's process: answer from the cache of the last start, before the server is loaded."""

from __future__ import annotations

import os
import signal
import time

from .cache import read_cache
from .key import StartKey, is_server_command
from .session import EarlySession

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import NoReturn

    from .cache import StartCache


class ServerStart:
    """Start of this process.

    Attributes:
        key: its key.
        began: the time in nanoseconds since 1970.
        cache: the cache of the last start, if it is current.
        session: the session that answers meanwhile, until the server takes it over.
    """

    __slots__ = ("began", "cache", "key", "session")

    def __init__(self, key: StartKey) -> None:
        self.key = key
        self.began = time.time_ns()
        self.cache: StartCache | None = None
        self.session: EarlySession | None = None


_starts: list[ServerStart] = []


def get_start() -> ServerStart | None:
    """Return the start of this process; None if it has no cache, or is not a server's."""
    return _starts[0] if _starts else None


def begin_start(words: Sequence[str]) -> None:
    """Answer the host from the cache of the last start; return when the server itself is to be loaded.

    Without a current cache this returns at once. If the input ends before the server is needed, the process ends.

    Args:
        words: the command line without the program.
    """
    if os.name != "posix" or not is_server_command(words):
        return
    key = StartKey.from_process(words)
    if key is None:
        return
    start = ServerStart(key)
    _starts[:] = [start]
    cache = read_cache(key)
    if cache is None or not cache.is_current() or not _has_streams():
        return
    start.cache = cache
    start.session = EarlySession(cache)
    _end_on_signals()
    start.session.serve_until_needed()
    if start.session.is_ended and not start.session.needs_server:
        os._exit(0)
    if not start.session.is_ended:
        start.session.serve_in_background()


def _has_streams() -> bool:
    """Return True if standard input and output are open."""
    try:
        return bool(os.fstat(0) and os.fstat(1))
    except OSError:
        return False


def _end_on_signals() -> None:
    """End silently on SIGINT and SIGTERM until the server handles them; a signal that is ignored stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_process)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end_process)


def _end_process(_number: int, _frame: FrameType | None) -> NoReturn:
    os._exit(0)
