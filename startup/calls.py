"""Calls of tools before the server is ready: run in threads, as long as nothing waits for the server."""

from __future__ import annotations

import json

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from _thread import RLock
    from collections.abc import Callable
    from threading import Condition
    from typing import Any, Protocol

    from .line import Line

    class ToolCall(Protocol):
        """Call of a tool that needs nothing but its arguments."""

        def run(self) -> str | None:
            """Return the JSON of the result; None if only the server answers the call, and nothing ran."""

        def cancel(self) -> None:
            """Cancel the call without waiting for it."""

        def withdraw(self) -> bool:
            """Cancel the call; return True if it has changed nothing, so that it may run again."""

    class CallRunner(Protocol):
        """Runner of calls, loaded before the server."""

        def prepare(self, line: Line, opening: Opening) -> ToolCall | None:
            """Return the call in a request; None for one that only the server answers. It must not take long."""


TOOLS_CALL = "tools/call"
CANCELLED = "notifications/cancelled"
_MAX_CALLS = 16
"""Calls that are run before the server is ready; it takes all others."""


class Opening:
    """First request of a dialogue, which was answered.

    Attributes:
        method: its method.
        params: its parameters.
        text: the JSON of its result.
    """

    __slots__ = ("method", "params", "text")

    def __init__(self, method: str, params: dict[str, Any], text: str) -> None:
        self.method = method
        self.params = params
        self.text = text


class EarlyCalls:
    """Calls that are answered before the server is ready.

    The owner's lock is held in every method but `wait_until_idle`.

    Args:
        lock: the owner's lock.
        write: writes a line to the host.
        keep: keeps a line for the server.
    """

    def __init__(self, lock: RLock, write: Callable[[str], bool], keep: Callable[[bytes], None]) -> None:
        self._lock = lock
        self._changed: Condition | None = None
        self._write = write
        self._keep = keep
        self._runner: CallRunner | None = None
        self._opening: Opening | None = None
        self._waiting: dict[str, tuple[Line, bytes]] = {}
        self._running: dict[str, tuple[ToolCall, bytes]] = {}
        self._answered: set[str] = set()
        self._begun = 0
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """True once further calls are left to the server."""
        return self._is_closed

    def open(self, opening: Opening) -> None:
        """Accept calls in the dialogue that this request has opened."""
        self._opening = opening

    def offer(self, runner: CallRunner) -> None:
        """Run calls with this runner from now on, and first those that wait."""
        from threading import Condition  # noqa: PLC0415 - slow to import; the host has its tools by now

        self._changed = Condition(self._lock)
        self._runner = runner
        waiting, self._waiting = self._waiting, {}
        for line, raw in waiting.values():
            if self._is_closed or not self._begin(runner, line, raw):
                self.close()
                self._keep(raw)

    def take(self, line: Line, raw: bytes) -> bool:
        """Take a call, or the cancellation of a taken one; return False for a line of the server's."""
        if line.method == CANCELLED and not line.id:
            return self._cancel(line)
        if line.method != TOOLS_CALL or not self._accepts(line.id):
            return False
        if self._runner is None:
            self._waiting[line.id] = line, raw
            return True
        return self._begin(self._runner, line, raw)

    def close(self) -> None:
        """Keep the calls that wait for the server, and leave it all further ones; those that run are answered."""
        self._is_closed = True
        for _, raw in self._waiting.values():
            self._keep(raw)
        self._waiting.clear()

    def wait_until_idle(self, seconds: float) -> None:
        """Wait until no call runs, at most this many seconds."""
        if self._changed is not None:
            with self._changed:
                self._changed.wait_for(lambda: not self._running, seconds)

    def hand_over(self) -> None:
        """Close; leave running calls that have changed nothing to the server, and wait for the others."""
        self.close()
        for name, (call, raw) in list(self._running.items()):
            if call.withdraw():
                del self._running[name]
                self._keep(raw)
        if self._changed is not None:
            self._changed.wait_for(lambda: not self._running)

    def _accepts(self, name: str) -> bool:
        is_known = name in self._waiting or name in self._running
        has_room = len(self._waiting) + self._begun < _MAX_CALLS
        return bool(name) and self._opening is not None and not self._is_closed and not is_known and has_room

    def _begin(self, runner: CallRunner, line: Line, raw: bytes) -> bool:
        """Begin a call in a thread; return False for one that the server answers."""
        from threading import Thread  # noqa: PLC0415 - slow to import; the host has its tools by now

        call = runner.prepare(line, self._opening) if self._opening is not None else None
        if call is None:
            return False
        self._begun += 1
        self._running[line.id] = call, raw
        Thread(target=self._run, args=(line.id, call), name="early call", daemon=True).start()
        return True

    def _run(self, name: str, call: ToolCall) -> None:
        text: str | None = None
        try:
            text = call.run()
        finally:  # an error here occurs in the server again, and is reported there
            with self._lock:
                self._end(name, call, text)

    def _end(self, name: str, call: ToolCall, text: str | None) -> None:
        """Answer a call that has ended; without an answer the server runs it."""
        found = self._running.get(name)
        if found is None or found[0] is not call:
            return  # cancelled by the host, or withdrawn
        if text is None or not self._write(f'{{"jsonrpc":"2.0","id":{name},"result":{text}}}\n'):
            self.close()
            self._keep(found[1])
        else:
            self._answered.add(name)
        self._remove(name)

    def _remove(self, name: str) -> None:
        del self._running[name]
        if self._changed is not None:
            self._changed.notify_all()

    def _cancel(self, line: Line) -> bool:
        """Cancel a call that was taken here, which then has no answer."""
        try:
            name = json.dumps((line.params or {}).get("requestId"))
        except (TypeError, ValueError, RecursionError):
            return False
        if self._waiting.pop(name, None) is not None:
            return True
        found = self._running.get(name)
        if found is None:  # opencode cancels calls that are answered, which needs no server
            return name in self._answered and not self._is_closed
        found[0].cancel()
        self._remove(name)
        return True
