"""Session before the server is ready: a loop that answers from a cache and keeps every other line."""

from __future__ import annotations

import os
import select
import sys
from _thread import RLock

from .calls import EarlyCalls, Opening
from .dialogue import TOOLS_LIST, Dialogue
from .line import MAX_LINE_BYTES, parse_line

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from threading import Thread

    from .cache import StartCache
    from .calls import CallRunner
    from .dialogue import RequestName
    from .line import Line

_BLOCK_BYTES = 65_536
_MAX_KEPT_BYTES = 1 << 20
"""Bytes of kept lines; more stay in the pipe until the server reads them."""
_WAIT_SECONDS = 0.3
"""Seconds without a line after which the server is loaded, before the host has its tools."""
_QUIET_SECONDS = 0.01
"""Seconds without a line after which the server is loaded, once the host has its tools."""
_SWITCH_SECONDS = 0.001
"""Seconds that the loading thread computes before an answer may go out."""
_CALL_SECONDS = 3.0
"""Seconds that the server waits for calls that were begun before it; then it runs them itself."""
_INITIALIZED = "notifications/initialized"


class AnsweredRequest:
    """Request that was answered from the cache.

    Attributes:
        name: its name.
        text: the JSON of the result that the host has.
    """

    __slots__ = ("name", "text")

    def __init__(self, name: RequestName, text: str) -> None:
        self.name = name
        self.text = text


class Handover:
    """State that the server continues with.

    Attributes:
        head: the bytes that were read and not answered, and the opening request with the id `replay_id`.
        replay_id: the id of the opening request; its answer must not go out. None where nothing was answered.
        answered: the requests that were answered, in order; the first is the opening request.
    """

    __slots__ = ("answered", "head", "replay_id")

    def __init__(self, head: bytes, replay_id: str | None, answered: list[AnsweredRequest]) -> None:
        self.head = head
        self.replay_id = replay_id
        self.answered = answered


class EarlySession:
    """Session over standard input and output until the server takes over.

    Args:
        cache: a current cache.
    """

    def __init__(self, cache: StartCache) -> None:
        self._cache = cache
        self._current_methods: dict[str, bool] = {}
        self._dialogue = Dialogue()
        self._answered: list[AnsweredRequest] = []
        self._replay_id: str | None = None
        self._kept = bytearray()
        self._partial = bytearray()
        self._wake: tuple[int, int] | None = None
        self._thread: Thread | None = None
        self._lock = RLock()
        self._calls = EarlyCalls(self._lock, _write_line, self._keep_line)
        self._is_judged = False  # a line arrived that only the server judges: it may be a second handshake
        self.is_ended = False
        self.needs_server = False

    def serve_until_needed(self) -> None:
        """Answer until the server is needed, the host is quiet, or the input ends."""
        self._serve(in_background=False)

    def serve_in_background(self) -> None:
        """Continue in a thread while the server is loaded in this one; end the process with the input."""
        from threading import Thread  # noqa: PLC0415 - slow to import; the host has its tools by now

        self._wake = os.pipe()
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._thread = Thread(target=self._serve_to_the_end, name="early", daemon=True)
        self._thread.start()

    @property
    def has_waiting(self) -> bool:
        """True if the host waits for the server itself, or will."""
        return self._calls.is_closed or self.is_ended

    def offer_calls(self, runner: CallRunner) -> None:
        """Run calls with this runner from now on, and first those that wait."""
        with self._lock:
            self._calls.offer(runner)

    def wait_for_calls(self, seconds: float = _CALL_SECONDS) -> None:
        """Wait until no call runs, at most this many seconds; the host is answered meanwhile."""
        self._calls.wait_until_idle(seconds)

    def take_over(self) -> Handover:
        """End the loop and return its state; blocks while the host does not read an answer."""
        self.wait_for_calls()
        with self._lock:
            self._calls.hand_over()
        if self._wake is not None and self._thread is not None:
            os.write(self._wake[1], b"\0")
            self._thread.join()
            for descriptor in self._wake:
                os.close(descriptor)
            self._wake = None
        return Handover(bytes(self._kept + self._partial), self._replay_id, self._answered)

    def _serve_to_the_end(self) -> None:
        self._serve(in_background=True)
        if self.is_ended and not self.needs_server:
            os._exit(0)  # nothing is open yet: the server was only being loaded

    def _serve(self, *, in_background: bool) -> None:
        sources = [0] if self._wake is None else [0, self._wake[0]]
        while len(self._kept) + len(self._partial) <= _MAX_KEPT_BYTES:
            timeout = None if in_background else self._get_patience()
            ready = select.select(sources, (), (), timeout)[0]
            if ready != [0]:
                return
            block = _read_block()
            if not block:
                self.is_ended = True
                self.needs_server = self.needs_server or bool(self._partial)
                return
            self._take_block(block)
            if self.needs_server and not in_background:
                return
        self.needs_server = True

    def _get_patience(self) -> float:
        has_tools = any(one.name.method == TOOLS_LIST for one in self._answered)
        return _QUIET_SECONDS if has_tools else _WAIT_SECONDS

    def _take_block(self, block: bytes) -> None:
        *lines, rest = (bytes(self._partial) + block if self._partial else block).split(b"\n")
        for line in lines:
            self._take_line(line)
        self._partial = bytearray(rest)
        if len(rest) > MAX_LINE_BYTES:
            self.needs_server = True

    def _take_line(self, line: bytes) -> None:
        """Answer the line, or keep it for the server."""
        if not line.strip():
            return
        parsed = parse_line(line)
        with self._lock:
            if parsed is not None and parsed.id and self._answer_request(parsed):
                return
            self.needs_server = self.needs_server or parsed is None or bool(parsed.id)
            if parsed is not None and self._calls.take(parsed, line):
                return
            if parsed is None or parsed.method != _INITIALIZED:
                self._calls.close()
            self._keep_line(line)
            self._is_judged = self._is_judged or parsed is None

    def _keep_line(self, line: bytes) -> None:
        self._kept += line + b"\n"

    def _answer_request(self, line: Line) -> bool:
        name = self._dialogue.name_request(line.method, line.params)
        if name is None:
            return False
        text = self._cache.answers.get(name.scope, {}).get(name.name)
        is_late = self._is_judged or (self.needs_server and not self._answered)
        if text is None or is_late or not self._is_current(name.method):
            return False
        if not _write_line(f'{{"jsonrpc":"2.0","id":{line.id},"result":{text}}}\n'):
            return False
        if self._replay_id is None:
            self._keep_opening(line)
            self._calls.open(Opening(line.method, line.params or {}, text))
        self._answered.append(AnsweredRequest(name, text))
        return True

    def _keep_opening(self, line: Line) -> None:
        """Keep the opening request for the server, which learns from it whom it speaks to."""
        import json  # noqa: PLC0415 - loaded already, by the reader of lines

        self._replay_id = f"aurora-{os.urandom(8).hex()}"
        self._keep_line(json.dumps({**line.message, "id": self._replay_id}).encode())

    def _is_current(self, method: str) -> bool:
        if method not in self._current_methods:
            self._current_methods[method] = self._cache.is_method_current(method)
        return self._current_methods[method]


def _read_block() -> bytes:
    try:
        return os.read(0, _BLOCK_BYTES)
    except OSError:  # closed: the same as its end
        return b""


def _write_line(text: str) -> bool:
    """Write a line to standard output; return False for an error, which the server then reports."""
    left = memoryview(text.encode())
    try:
        while left:
            left = left[_write_part(left) :]
    except BrokenPipeError:  # the host has gone
        os._exit(0)
    except OSError:
        return False
    return True


def _write_part(data: memoryview) -> int:
    try:
        return os.write(1, data)
    except BlockingIOError:  # the host made the pipe non-blocking, and does not read
        select.select((), (1,), ())
        return 0
