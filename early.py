"""First answers of `aur mcp`, from a file of the release: the handshake and the list of tools.

The protocol, the models and the workflows take a second to load; a host that asks for the tools meanwhile may begin
without them. This module imports the standard library only, and little of it.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading

TYPE_CHECKING = False  # `typing` takes longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType
    from typing import Any, NoReturn

ANSWERS_FILE = "tools/mcp/early_answers.json"
"""The answers of the server with its default tools; `make commands` writes them, from the server itself."""
MAX_LINE_BYTES = 32 * 1024 * 1024
"""Size limit of one line in bytes; a longer one is dropped and answered with an error."""
_MAX_EARLY_BYTES = 65_536
"""Bytes of a line that is parsed here; the server itself reads longer ones."""
_BLOCK_BYTES = 1 << 16
_MAX_WAITING = 16
"""Lines that wait for the server; more stay in the pipe, since each may have 32 MiB."""
_WAIT_SECONDS = 0.3
"""Seconds that a host has to ask for the tools before the server is loaded, which would delay the answer."""
_SWITCH_SECONDS = 0.001
"""Seconds that the loading thread computes before an answer may go out."""
_INITIALIZE, _TOOLS_LIST = "initialize", "tools/list"
_REPLAYED = frozenset({_INITIALIZE, _TOOLS_LIST})
"""Requests of the era with a handshake from which the server learns what the host declared, and whom to notify."""
_HANDSHAKE, _STATELESS = "handshake", "stateless"
_META = "_meta"
_VERSION, _CLIENT, _ABILITIES = (
    f"io.modelcontextprotocol/{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities")
)
_OPTIONAL_META = frozenset({"progressToken"})
_REQUEST_KEYS = frozenset({"jsonrpc", "id", "method", "params"})
_MAX_ID = 2**53
_HALF_CHARACTER = b"\\ud"
"""Start of the escape of half a character: a single half is a mistake that the server reports."""


# ── the process ──


def begin_server(words: Sequence[str]) -> None:
    """Answer the host from now on, and return when the server itself is to be loaded.

    If the input ends before the server is needed, the process ends. A server with other tools or options answers
    everything itself.

    Args:
        words: the command line without the program.
    """
    if os.name != "posix" or not _has_default_tools(words) or not _has_streams():
        return
    sys.setswitchinterval(_SWITCH_SECONDS)
    _end_on_signals()
    with open(os.path.join(os.path.dirname(__file__), ANSWERS_FILE), "rb") as file:
        reader = InputReader(EarlyAnswers(json.loads(file.read())))
    _readers[:] = [reader]
    reader.start()
    reader.wait_until_needed()


def take_reader() -> InputReader:
    """Return the reader of standard input, which answers nothing any more."""
    reader = _readers.pop() if _readers else InputReader()
    reader.stop_answering()
    return reader


_readers: list[InputReader] = []


def _has_default_tools(words: Sequence[str]) -> bool:
    """Return True for a plain `mcp`, perhaps with an existing project."""
    rest = list(words)
    # A folder that is missing is a mistake, and only the server has the message for it.
    if "--project" in rest[:-1]:
        place = rest.index("--project")
        if not os.path.isdir(rest[place + 1]):
            return False
        del rest[place : place + 2]
    # Each of the two changes the list of tools, and the file has the default list only.
    return rest == ["mcp"] and not any(os.environ.get(name) for name in ("AURORA_TOOLSETS", "READ_ONLY"))


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


# ── the input ──


class InputReader:
    """Reader of standard input in a thread: a line is answered, or waits for the server in order.

    Descriptor 0 reads nothing from now on, so that no child process takes a line.

    Args:
        answers: what may be answered before the server is ready; nothing without it.
    """

    def __init__(self, answers: EarlyAnswers | None = None) -> None:
        self._answers = answers
        self._lock = threading.Lock()
        self._lines: queue.Queue[tuple[bytes, bool] | None] = queue.Queue(_MAX_WAITING)
        self._is_due = threading.Event()
        self._needs_server = False
        self._is_started = False
        self._descriptor = _claim_input()
        self.replayed: set[str] = set()
        """Ids of requests that the host has the answers to; the server's own must not go out."""

    def start(self) -> None:
        """Begin to read."""
        if not self._is_started:
            self._is_started = True
            threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def wait_until_needed(self) -> None:
        """Wait until the host has its tools, or sends what only the server answers, for `_WAIT_SECONDS`."""
        self._is_due.wait(_WAIT_SECONDS)

    def stop_answering(self) -> None:
        """Leave every further line to the server; blocks while the host does not read an answer."""
        with self._lock:
            self._answers = None

    def list_lines(self) -> Iterator[tuple[bytes, bool]]:
        """Yield the lines that wait and all further ones, as `read_lines` does."""
        self.start()
        while (found := self._lines.get()) is not None:
            yield found

    def restore(self) -> None:
        """Give descriptor 0 back.

        The copy stays open: the thread may still wait on it, and its number must not be used again.
        """
        os.dup2(self._descriptor, 0)

    def _read(self) -> None:
        for line, is_whole in read_lines(self._descriptor):
            if not line.strip():
                continue
            with self._lock:
                # Under the lock: the server takes over between two lines, so
                # that none is answered twice or not at all.
                kept = self._take(line) if is_whole else line
            if kept is not None:
                self._lines.put((kept, is_whole))
        with self._lock:
            if self._answers is not None and not self._needs_server:
                os._exit(0)  # nothing is open yet: the server was only being loaded
        self._lines.put(None)
        self._is_due.set()

    def _take(self, line: bytes) -> bytes | None:
        """Answer a line; return what the server is to read of it, or None."""
        if self._answers is None:
            return line
        request = _parse_line(line)
        result = self._answers.find(request)
        if request is None or result is None or not _write_line(_format_answer(request, result)):
            self._expect_server(request)
            return line
        if request["method"] == _TOOLS_LIST:
            self._is_due.set()
        if self._answers.is_stateless or request["method"] not in _REPLAYED:
            return None
        # The server must still read the request, and answers it. Its answer
        # is known by this id, which no host can choose, and is dropped.
        name = f"aurora-{os.urandom(8).hex()}"
        self.replayed.add(name)
        return json.dumps({**request, "id": name}).encode()

    def _expect_server(self, request: Mapping[str, Any] | None) -> None:
        """Load the server for a request; a notification waits for it."""
        if request is None or "id" in request:
            self._needs_server = True
            self._is_due.set()


def read_lines(descriptor: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines of a file descriptor as `(line, whole)`.

    `whole` is False for the head of a line that is too long. The descriptor is read without a buffered reader, whose
    lock would keep Python from ending cleanly.
    """
    buffer = bytearray()
    searched = 0
    dropping = False
    while block := _read_block(descriptor):
        buffer += block
        while (end := buffer.find(b"\n", searched)) >= 0:
            if not dropping:
                yield bytes(buffer[:end]), True
            dropping = False
            del buffer[: end + 1]
            searched = 0
        # A long line arrives in blocks of 64 kB; searched from its start
        # each time, it would take time with the square of its length.
        searched = len(buffer)
        if dropping:
            buffer.clear()
            searched = 0
        elif searched > MAX_LINE_BYTES:
            yield bytes(buffer[:_BLOCK_BYTES]), False
            dropping = True
    if buffer and not dropping:
        yield bytes(buffer), True


def _read_block(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _BLOCK_BYTES)
    except OSError:  # closed by another thread: the same as its end
        return b""


def _claim_input() -> int:
    """Return a private copy of descriptor 0, which reads nothing from now on."""
    private = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return private


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
        import select  # noqa: PLC0415 - rare

        select.select((), (1,), ())
        return 0


# ── the answers ──


class EarlyAnswers:
    """Answers to one host, whose first request decides the era of the protocol.

    Whatever is not plain, such as an unknown field, is the server's: it has the messages for what is wrong. So is
    everything behind a line that may be a second handshake.

    Args:
        known: era -> the `versions` of the protocol, oldest first, and the `results` by method.
    """

    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = known
        self._era = ""
        self._is_closed = False

    @property
    def is_stateless(self) -> bool:
        """True in the era without a handshake."""
        return self._era == _STATELESS

    def find(self, request: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Return the result for the host's next line; None if it is the server's."""
        is_notification = request is not None and "id" not in request
        if request is None or self._is_closed or is_notification:
            self._is_closed = self._is_closed or not is_notification
            return None
        if not self._era:
            self._era = _choose_era(request, self._known)
            self._is_closed = not self._era
        elif request["method"] == _INITIALIZE:
            self._is_closed = True
        if self._is_closed or not _is_plain(request, self._era, self._known):
            return None
        result: dict[str, Any] | None = self._known[self._era]["results"].get(request["method"])
        if result is None or request["method"] != _INITIALIZE:
            return result
        # As the protocol says: to a version that it does not know, a
        # server answers with the newest that it has.
        versions, wanted = self._known[self._era]["versions"], request["params"]["protocolVersion"]
        return {**result, "protocolVersion": wanted if wanted in versions else versions[-1]}


def _choose_era(request: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Return the era that the first request opens; empty if only the server can tell."""
    era = _HANDSHAKE if request["method"] == _INITIALIZE else _STATELESS
    return era if _is_plain(request, era, known) else ""


def _is_plain(request: Mapping[str, Any], era: str, known: Mapping[str, Any]) -> bool:
    """Return True if the parameters are complete, and have nothing that an answer could depend on."""
    params = request.get("params", {})
    if request["method"] == _INITIALIZE:
        has_fields = set(params) == {"protocolVersion", "capabilities", "clientInfo"}
        return (
            has_fields
            and isinstance(params["protocolVersion"], str)
            and _is_client(params["clientInfo"], params["capabilities"])
        )
    meta = params.get(_META, {})
    if not isinstance(meta, dict) or not {_META}.issuperset(params):
        return False
    needed = {_VERSION, _CLIENT, _ABILITIES} if era == _STATELESS else set()
    # The type itself, since `true` is an `int` for `isinstance`.
    if set(meta) - _OPTIONAL_META != needed or type(meta.get("progressToken", 0)) not in {int, str}:
        return False
    return not needed or (meta[_VERSION] in known[era]["versions"] and _is_client(meta[_CLIENT], meta[_ABILITIES]))


def _is_client(client: Any, abilities: Any) -> bool:
    """Return True if a host describes itself as the protocol says."""
    return (
        isinstance(client, dict)
        and all(isinstance(client.get(name), str) for name in ("name", "version"))
        and isinstance(abilities, dict)
        and all(isinstance(one, dict) for one in abilities.values())
    )


def _parse_line(line: bytes) -> dict[str, Any] | None:
    """Return a plain request or notification; None for a line that only the server judges."""
    if len(line) > _MAX_EARLY_BYTES or _HALF_CHARACTER in line.lower():
        return None
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not _REQUEST_KEYS.issuperset(message) or message.get("jsonrpc") != "2.0":
        return None
    is_message = isinstance(message.get("method"), str) and isinstance(message.get("params", {}), dict)
    return message if is_message and _is_id(message.get("id", 0)) else None


def _is_id(value: Any) -> bool:
    if type(value) is int:
        return abs(value) <= _MAX_ID
    return isinstance(value, str) and bool(value) and value.isascii() and value.isprintable()


def _format_answer(request: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
    # Byte for byte as the server writes it: a host must not be able to tell who answered.
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n"
