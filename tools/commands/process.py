"""Process of a command: without a shell, limited, ended with all that it started."""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from aurora.faults import Code, Fault

from .output import CappedOutput
from .process_tree import HAS_PROCESS_GROUPS, end_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

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
    _running[launch.mark] = process
    readers = [_Reader(stream, CappedOutput(launch.kept_bytes)) for stream in (process.stdout, process.stderr)]
    try:
        stopped = _watch_process(process, readers, launch.seconds, start, report)
    finally:
        end_tree(process, launch.mark)
        _running.pop(launch.mark, None)
        for reader in readers:
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
