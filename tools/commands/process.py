"""Process of a command: started, limited, and ended with all that it started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.system.programs import find_program_outside, list_safe_folders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .policy import AllowedCommand


MAX_PRINTED_BYTES = 64_000_000
"""Bytes that a program may print; one that prints for ever is ended here."""


_TICK_SECONDS = 0.05

_DRAIN_SECONDS = 0.2
"""Seconds in which a program that has ended may leave its output to a process that it started."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Program to start.

    Attributes:
        argv: the program's file and its arguments.
        folder: the working directory.
        environ: the whole environment.
        mark: the value in the environment by which its processes are found.
        given: standard input.
        seconds: the limit of its time.
        kept_bytes: the bytes of each output stream that are kept.
    """

    argv: tuple[str, ...]
    folder: Path
    environ: Mapping[str, str]
    mark: str
    given: bytes
    seconds: float
    kept_bytes: int


@dataclass(frozen=True, slots=True)
class Finished:
    """Program that has ended, or that was ended.

    Attributes:
        exit_code: its exit code; negative for a signal.
        stdout, stderr: what it printed.
        seconds: its time.
        stopped: why it was ended; empty if it ended itself.
    """

    exit_code: int
    stdout: CappedOutput
    stderr: CappedOutput
    seconds: float
    stopped: str


class _Reader(threading.Thread):
    """Thread that reads one stream to its end."""

    def __init__(self, stream: IO[bytes], output: CappedOutput) -> None:
        super().__init__(name="output of a command", daemon=True)
        self._stream = stream
        self.output = output
        self.start()

    def run(self) -> None:
        """Read until no process has the stream any more."""
        with self._stream as stream:
            while data := stream.read(65_536):
                self.output.add_bytes(data)


def run_process(launch: Launch, report: Callable[[float], None]) -> Finished:
    """Run a program to its end, and end what it has left running.

    Args:
        launch: the program.
        report: called twenty times a second with the seconds so far; an exception of it ends the program and is raised
            again.

    Raises:
        Fault: UPSTREAM_ERROR if it cannot be started.
    """
    start = time.monotonic()
    process = _start_process(launch)
    if process.stdout is None or process.stderr is None:
        raise RuntimeError("pipes were requested")
    # Known from outside, so that a server that stops can end what its threads still wait for.
    _running[launch.mark] = process
    readers = [_Reader(stream, CappedOutput(launch.kept_bytes)) for stream in (process.stdout, process.stderr)]
    try:
        stopped = _watch_process(process, readers, launch.seconds, start, report)
    finally:
        end_tree(process, launch.mark)
        _running.pop(launch.mark, None)
        for reader in readers:
            # A process that left the group may keep the pipe open for ever.
            reader.join(1.0)
    stdout, stderr = (reader.output for reader in readers)
    return Finished(process.wait(), stdout, stderr, time.monotonic() - start, stopped)


_running: dict[str, subprocess.Popen[bytes]] = {}


def end_programs() -> None:
    """End all programs that still run: this process ends, and with it the threads that watch them."""
    for mark, process in list(_running.items()):
        end_tree(process, mark)


def _start_process(launch: Launch) -> subprocess.Popen[bytes]:
    with tempfile.TemporaryFile() as stdin:
        # A file and no pipe: nobody has to feed a program that does not read, or that reads after it has printed.
        stdin.write(launch.given)
        stdin.seek(0)
        try:
            return subprocess.Popen(  # noqa: S603 - the person allowed the program with these arguments
                launch.argv,
                bufsize=0,
                cwd=launch.folder,
                env=dict(launch.environ),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # A group of its own, by which what a wrapper started ends with it.
                start_new_session=HAS_PROCESS_GROUPS,
            )
        except OSError as error:
            message = f'"{launch.argv[0]}" cannot be started: {error.strerror or error}'
            raise Fault(Code.UPSTREAM_ERROR, message, help="Check that you can start it in a terminal.") from None


def _watch_process(
    process: subprocess.Popen[bytes],
    readers: list[_Reader],
    seconds: float,
    start: float,
    report: Callable[[float], None],
) -> str:
    """Wait for the end of the program; return why it must be ended before, or nothing."""
    while True:
        passed = time.monotonic() - start
        # First, since it raises when the call was cancelled.
        report(passed)
        if passed >= seconds:
            return "time"
        if sum(reader.output.total for reader in readers) > MAX_PRINTED_BYTES:
            return "output"
        reading = next((reader for reader in readers if reader.is_alive()), None)
        if process.poll() is not None:
            _drain_output(readers)
            return ""
        if reading is not None:
            reading.join(_TICK_SECONDS)
        else:
            _wait_shortly(process)


def _wait_shortly(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_TICK_SECONDS)
    except subprocess.TimeoutExpired:
        return


def _drain_output(readers: list[_Reader]) -> None:
    """Read what is left in the pipes; a process that keeps them open is not waited for."""
    end = time.monotonic() + _DRAIN_SECONDS
    for reader in readers:
        reader.join(max(0.0, end - time.monotonic()))


HAS_PROCESS_GROUPS = os.name == "posix"


_PROCESSES = Path("/proc")

_GRACE_SECONDS = 0.5
"""Seconds between SIGTERM and SIGKILL; a cancelled call has one second to end."""

_MAX_ROUNDS = 20
"""Rounds of a search for processes that start new ones while they are being killed."""


def end_tree(process: subprocess.Popen[bytes], mark: str) -> None:
    """End a program and every process that it started.

    A program that is still running receives SIGTERM, and SIGKILL half a second later. Processes of its group, and on
    Linux all processes with its mark in their environment, are killed.

    Args:
        process: the program, which may have ended.
        mark: the value of the variable `MARK_VARIABLE` in its environment.
    """
    if not HAS_PROCESS_GROUPS:
        _end_windows_tree(process)
        return
    if process.poll() is None:
        _signal_group(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
    # Also when the program has ended by itself: what it started may go on.
    _signal_group(process.pid, signal.SIGKILL)
    # A daemon has left the group and its parent has ended; the mark in its environment still finds it.
    for _ in range(_MAX_ROUNDS):
        found = list(_find_marked(mark))
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            break
        time.sleep(0.005)
    process.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(OSError):  # no process is left in it
        os.killpg(group, number)


def _find_marked(mark: str) -> Iterator[int]:
    """Yield the processes of this user with the mark in their environment; none where there is no `/proc`."""
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    with suppress(OSError):
        for entry in os.scandir(_PROCESSES):
            if entry.name.isdecimal() and _has_variable(entry.name, wanted):
                yield int(entry.name)


def _has_variable(pid: str, wanted: bytes) -> bool:
    try:
        variables = (_PROCESSES / pid / "environ").read_bytes()
    except OSError:  # it has ended, or belongs to another user
        return False
    # Between zeros and not anywhere, since the value of another variable may contain it.
    return wanted in variables.split(b"\0")


def _end_windows_tree(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        argv = ("taskkill", "/F", "/T", "/PID", str(process.pid))
        with suppress(OSError):
            subprocess.run(argv, capture_output=True, check=False)  # noqa: S603 - a number of ours
        with suppress(OSError):
            process.kill()
    process.wait()


MARK_VARIABLE = "_AURORA_COMMAND"
"""Variable with a random value by which the processes that a program leaves running are found."""
_INHERITED = (
    *("HOME", "USER", "LOGNAME", "SHELL", "TZ", "TMPDIR", "LANG", "LANGUAGE"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT"),
)
_INHERITED_PREFIX = "LC_"
_BATCH_FILES = (".bat", ".cmd")
"""Programs that Windows starts through a shell, which reads their arguments again."""


def find_file(command: AllowedCommand, root: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Return the path of a command's program.

    Args:
        command: the command.
        root: the project's folder, in which no program is looked for.
        environ: the environment variables.

    Raises:
        Fault: UPSTREAM_ERROR when there is no such program.
    """
    missing = describe_missing_program(command, root, environ)
    if missing:
        raise Fault(Code.UPSTREAM_ERROR, missing, help="Install it, or correct its `path` in your configuration.")
    if command.path is not None:
        return str(command.path)
    return find_program_outside(command.program, root, environ) or command.program


def describe_missing_program(command: AllowedCommand, root: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Return a sentence that says why a program cannot be started; empty if it can."""
    if command.path is not None:
        if not (command.path.is_file() and os.access(command.path, os.X_OK)):
            return f'there is no program at "{command.path}", where your configuration has "{command.program}"'
        return _describe_batch_file(str(command.path))
    found = find_program_outside(command.program, root, environ)
    if found is None:
        return f'the program "{command.program}" is not in PATH, outside of the project'
    return _describe_batch_file(found)


def _describe_batch_file(path: str) -> str:
    if sys.platform == "win32" and path.lower().endswith(_BATCH_FILES):
        return f'"{path}" is a batch file, which only a shell can run'
    return ""


def build_environment(
    command: AllowedCommand, root: Path, mark: str, environ: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the whole environment of a program: what programs need to start, and what the person added.

    Args:
        command: the command, with the names of further variables.
        root: the project's folder, which is left out of PATH.
        mark: the value of `MARK_VARIABLE`.
        environ: the environment variables of this process.
    """
    names = {*_INHERITED, *command.variables}
    # Nothing else of this process: its environment may have tokens, and a program of a project need not see them.
    kept = {
        name: value
        for name, value in environ.items()
        if name in names or name.startswith(_INHERITED_PREFIX) or (os.name == "nt" and name.upper() in names)
    }
    # Without folders of the project: a program could else start one that a clone brought.
    own = {"PATH": os.pathsep.join(list_safe_folders(root, environ)), "TERM": "dumb", "NO_COLOR": "1"}
    return {**kept, **own, MARK_VARIABLE: mark}


MAX_DEPTH = 80
"""Levels of a JSON value that a run can store in a result."""
_CONTINUATION_BYTES = range(0x80, 0xC0)
"""Bytes of UTF-8 that never begin a character."""


class CappedOutput:
    """Bytes of one stream, of which a limited number is kept.

    Args:
        limit: the number of bytes that are kept: the first half and the last half.
    """

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add_bytes(self, data: bytes) -> None:
        """Add what the stream brought."""
        self.total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        # Cut seldom: at each block, the whole tail would be copied for it.
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]

    @property
    def is_truncated(self) -> bool:
        """True if bytes are left out."""
        return self.total > 2 * self._half

    def to_text(self) -> str:
        """Return the text, with a line that counts the bytes that are left out.

        Bytes that are not UTF-8 become U+FFFD.
        """
        if not self.is_truncated:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = bytes(self._head), bytes(self._tail[-self._half :])
        # The cut may have divided a character, whose rest is no text.
        while tail and tail[0] in _CONTINUATION_BYTES:
            tail = tail[1:]
        head = head.decode("utf-8", "ignore").encode() if _ends_inside_character(head) else head
        left_out = self.total - len(head) - len(tail)
        texts = (head.decode("utf-8", "replace"), tail.decode("utf-8", "replace"))
        return f"\n[… {left_out:,} bytes left out …]\n".join(texts)


def _ends_inside_character(data: bytes) -> bool:
    """Return whether the last bytes begin a character of UTF-8 that is cut."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end == len(data) and error.reason == "unexpected end of data"
    return False


def parse_output(text: str) -> Any:
    """Return the JSON value of a text; None if it is no JSON, or nested too deeply."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # half of a character, and 1e999, are no values
    except (ValueError, RecursionError):
        return None
    return value if _measure_depth(value) <= MAX_DEPTH else None


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _measure_depth(value: Any) -> int:
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        inner = [one for one in level if isinstance(one, dict | list)]
        level = [one for outer in inner for one in (outer.values() if isinstance(outer, dict) else outer)]
    return depth
