"""Worker processes for templates whose work has no bound: pool, limits and messages.

A worker imports the standard library and the template library only, and ends when its input does. A request is a tuple
in the format of `marshal`, which only Aurora itself writes; a response is JSON.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import marshal
import os
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any, cast

from aurora.errors import check_cancelled

from .engine import PromptError, list_variables, load_library, render_text

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SECONDS = 2.0
"""Seconds of one request; the templates that are shipped take some milliseconds."""
START_SECONDS = 30.0
"""Seconds in which a worker must start; some 0.05 on an idle machine."""
MAX_WORKERS = 2
"""Workers of one process, busy and idle; more requests wait."""
MAX_MEMORY = 512 * 1024 * 1024
"""Bytes of the worker: of its address space on Linux, resident on macOS; Windows has only the limit of time."""
MAX_CPU_SECONDS = 3
"""Processor time of one request, in case that the process that waits for it is gone."""
MAX_REQUEST = 64 * 1024 * 1024
"""Bytes of a template and its values that a worker receives."""
MAX_RESPONSE = 4_000_000
"""Characters of a rendered text; more than `MAX_PRINTED`, because literal text in a loop counts too."""

MEMORY_MESSAGE = f"it needs more than {MAX_MEMORY // 2**20} MB of memory"

READY = b"ready"
RENDER, CHECK = "render", "check"

_HEADER = struct.Struct(">I")
_SLICE_SECONDS = 0.05
"""Seconds between two looks at the cancellation of the call."""
_SIGNALS_OF_TIME = {24}  # SIGXCPU
_SIGNALS_OF_MEMORY = {6, 9}  # SIGABRT: an allocation failed; SIGKILL: the system was out of memory

# The worker loads this checkout or installation of Aurora, whatever its folder is called, and the template library from
# where this process has it; isolated from the current folder, the environment and the packages of the user.
_BOOTSTRAP = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
root, library = sys.argv[1:]
sys.path.append(library)
spec = spec_from_file_location("aurora", root + "/__init__.py", submodule_search_locations=[root])
sys.modules["aurora"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["aurora"])
from aurora.interpreter.templates.worker import run_worker
run_worker()
"""
_ROOT = Path(__file__).resolve().parents[2]
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH", "SYSTEMROOT")


class WorkerStartError(PromptError):
    """A worker that did not start; the message says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"it is rendered in a process of its own, and {reason}")


class WorkerStoppedError(PromptError):
    """A worker that was stopped, or ended, before its response; the message says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"it was stopped: {reason}; loop over fewer values, or compute the text in a tool")


def ask_worker(kind: str, template: str, name: str, fuel: int, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Let a worker render or check the template.

    Args:
        kind: `RENDER` or `CHECK`.
        template: its text.
        name: its name.
        fuel: the limit of instructions.
        scope: the values that it reads; one that is part of several others is sent once.

    Raises:
        WorkerStartError: no worker can be started.
        PromptError: the library's error, or the limit that was exceeded.
        Cancelled: the call was cancelled.
    """
    try:
        request = marshal.dumps((kind, template, name, fuel, dict(scope)))
    except ValueError:
        raise PromptError("its values are nested too deeply, or are of a type that JSON does not have") from None
    if len(request) > MAX_REQUEST:
        raise PromptError(f"its values have {len(request):,} bytes; {MAX_REQUEST:,} are allowed")
    response = json.loads(_send_to_worker(request, Path(str(load_library().__file__)).parents[1]))
    if "detail" in response:
        raise PromptError(response["detail"], response["line"], response["span"] and tuple(response["span"]))
    return dict(response)


def _send_to_worker(request: bytes, library: Path) -> bytes:
    """Send a request to an idle worker, or to a new one, and return the response."""
    while not _slots.acquire(timeout=_SLICE_SECONDS):
        check_cancelled()
    try:
        return _send_request(request, library)
    finally:
        _slots.release()


def _send_request(request: bytes, library: Path) -> bytes:
    worker = _take_worker(library)
    try:
        response = worker.send_request(request, MAX_SECONDS)
    except BaseException:  # of any kind: also when the person interrupts the wait
        worker.stop()
        raise
    _idle.append(worker)
    return response


def _take_worker(library: Path) -> _Worker:
    with contextlib.suppress(IndexError):  # none is idle
        while True:
            worker = _idle.pop()
            if worker.is_alive():
                return worker
            worker.stop()
    try:
        worker = _Worker(library)
    except OSError as error:
        raise WorkerStartError(f"that process cannot be started: {error}") from None
    try:
        worker.wait_ready()
    except BaseException:
        worker.stop()
        raise
    return worker


@atexit.register
def stop_workers() -> None:
    """Stop the idle workers."""
    while _idle:
        _idle.pop().stop()


class _Worker:
    """One process, and the thread that writes to it and reads from it."""

    def __init__(self, library: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this Python, with a constant program
            [sys.executable, "-I", "-S", "-c", _BOOTSTRAP, str(_ROOT), str(library)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
        )
        # Both are pipes; the types of `Popen` do not say so.
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        self._responses: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(target=self._exchange_messages, name="template worker", daemon=True).start()

    def _exchange_messages(self) -> None:
        """Pass messages on, in a thread of its own: a pipe can block for as long as the process works."""
        with contextlib.suppress(OSError, ValueError):  # the process ended, or its pipes were closed
            self._responses.put(read_message(self._stdout))
            while (request := self._requests.get()) is not None:
                write_message(self._stdin, request)
                self._responses.put(read_message(self._stdout))
        self._responses.put(None)

    def wait_ready(self) -> None:
        """Wait for the first message.

        Raises:
            WorkerStartError: the process did not start.
        """
        try:
            first = self._wait_response(START_SECONDS)
        except WorkerStoppedError:
            first = None
        if first != READY:
            raise WorkerStartError("that process does not start")

    def send_request(self, request: bytes, seconds: float) -> bytes:
        """Send a request and return the response.

        Raises:
            WorkerStoppedError: the process ended, or was killed because it took longer than `seconds`.
            Cancelled: the call was cancelled; the process was killed.
        """
        self._requests.put(request)
        response = self._wait_response(seconds)
        if response is None:
            raise WorkerStoppedError(self._explain_end())
        return response

    def _wait_response(self, seconds: float) -> bytes | None:
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(Empty):
                return self._responses.get(timeout=_SLICE_SECONDS)
            check_cancelled()
            if time.monotonic() > deadline:
                raise WorkerStoppedError(f"it works for more than {seconds:g} seconds")
            # macOS keeps no limit of the address space, so that the size is looked at from here
            if sys.platform == "darwin" and _read_resident_bytes(self._process.pid) > MAX_MEMORY:
                raise WorkerStoppedError(MEMORY_MESSAGE)

    def _explain_end(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = -self._process.wait(timeout=1)
            if code in _SIGNALS_OF_TIME:
                return f"it works for more than {MAX_SECONDS:g} seconds"
            if code in _SIGNALS_OF_MEMORY:
                return MEMORY_MESSAGE
            return f"the template library failed on it (signal {code})" if code > 0 else "its process ended"
        return "its process ended"

    def is_alive(self) -> bool:
        """Check that the process has not ended."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Kill the process, and close its pipes."""
        self._process.kill()
        self._requests.put(None)
        self._process.wait()
        for pipe in (self._stdin, self._stdout):
            with contextlib.suppress(OSError, ValueError):  # the unwritten rest has no reader
                pipe.close()


def _read_resident_bytes(process: int) -> int:
    """Read the memory of a process from `ps`; 0 when it has ended."""
    command = ["/bin/ps", "-o", "rss=", "-p", str(process)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a constant program
    return int(done.stdout or 0) * 1024


_idle: list[_Worker] = []
_slots = threading.BoundedSemaphore(MAX_WORKERS)
os.register_at_fork(after_in_child=_idle.clear)  # a forked process must not read the responses of its parent


def run_worker() -> None:
    """Answer requests until the input ends."""
    requests, responses = sys.stdin.buffer, sys.stdout.buffer
    load_library()
    _limit_process()
    write_message(responses, READY)
    while (request := read_message(requests)) is not None:
        _limit_processor_time()
        response = _answer_request(marshal.loads(request))  # noqa: S302 - the parent is this program
        write_message(responses, json.dumps(response).encode("ascii"))


def _answer_request(request: tuple[str, str, str, int, Mapping[str, Any]]) -> dict[str, Any]:
    kind, template, name, fuel, scope = request
    try:
        if kind == CHECK:
            return {"names": sorted(list_variables(template))}
        text = render_text(template, scope, name, fuel)
    except PromptError as failure:
        return {"detail": failure.detail, "line": failure.line, "span": failure.span}
    except MemoryError:
        return {"detail": MEMORY_MESSAGE, "line": None, "span": None}
    if len(text) > MAX_RESPONSE:
        return {"detail": f"it prints more than {MAX_RESPONSE:,} characters", "line": None, "span": None}
    return {"text": text}


def _limit_process() -> None:
    """Limit memory and files, where the system can."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    for kind, limit in (
        (resource.RLIMIT_AS, MAX_MEMORY),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 16),
    ):
        _, most = resource.getrlimit(kind)
        with contextlib.suppress(ValueError, OSError):  # macOS refuses a limit of the address space
            resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


def _limit_processor_time() -> None:
    """Let the next request take `MAX_CPU_SECONDS`; the limit counts from the start of the process."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + MAX_CPU_SECONDS, most))


def write_message(pipe: IO[bytes], message: bytes) -> None:
    """Write one message, its length first."""
    pipe.write(_HEADER.pack(len(message)) + message)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> bytes | None:
    """Read one message; None when the other end is closed."""
    head = pipe.read(_HEADER.size)
    if len(head) < _HEADER.size:
        return None
    (length,) = _HEADER.unpack(head)
    message = pipe.read(length)
    return message if len(message) == length else None
