"""Process of git: found outside the project, with clean variables, limited in time and output."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Timer
from typing import IO, TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.system.programs import find_program_outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

GIT_TIMEOUT = 20.0
"""Timeout of one git command in seconds."""
MAX_OUTPUT_BYTES = 16_000_000
"""Size limit of the output of one git command in bytes."""


def find_program(project: Path) -> str:
    """Return the path of git.

    Relative folders of PATH, and those inside the project, are left out: a clone may bring a program called git.

    Raises:
        Fault: UPSTREAM_ERROR when it is not installed.
    """
    found = find_program_outside("git", project)
    if found is not None:
        return found
    raise Fault(
        Code.UPSTREAM_ERROR,
        "git is not installed",
        help="Install git, and start Aurora with a PATH that contains it.",
        details={"program": "git"},
    )


# Every GIT_ variable of the caller is dropped, not a list of them: GIT_CONFIG_COUNT, GIT_EXTERNAL_DIFF, GIT_ASKPASS and
# those of later versions name programs, too.
def build_environment(home: Path, own: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of git: the caller's, without what selects or configures a repository.

    Args:
        home: an empty folder in place of the user's home folder, with `.gitconfig` and `.config/git`.
        own: the variables to add.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    return {
        **inherited,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        # A partial clone would fetch what is missing, from an address that the clone names.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        **own,
    }


@dataclass(frozen=True, slots=True)
class Command:
    """Command of git.

    Attributes:
        argv: the program and its arguments.
        folder: the working directory.
        environ: the whole environment.
        given: standard input.
        timeout: seconds after which git is killed.
        remedy: what a person can do when it takes longer.
    """

    argv: tuple[str, ...]
    folder: Path
    environ: Mapping[str, str]
    given: bytes = b""
    timeout: float = GIT_TIMEOUT
    remedy: str = "Compare with a nearer revision, or name the files."


@dataclass(slots=True)
class RunningGit:
    """Running command: its standard output and, after the block, whether it succeeded."""

    output: IO[bytes]
    process: subprocess.Popen[bytes]
    succeeded: bool = False

    def kill(self) -> None:
        """Kill git and the programs that it started, such as ssh."""
        if self.process.poll() is not None:
            return
        with suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self.process.kill()


def run_command(command: Command, limit: int = MAX_OUTPUT_BYTES) -> bytes | None:
    """Run a command and return its output; None if it fails.

    Raises:
        Fault: TIMEOUT; UPSTREAM_ERROR for an output longer than `limit` bytes, or if git cannot be started.
    """
    with stream_command(command) as running:
        data = running.output.read(limit + 1)
        if len(data) > limit:
            raise Fault(
                Code.UPSTREAM_ERROR,
                f"git's answer is longer than {limit:,} bytes",
                help="Compare with a nearer revision, or name the files.",
            )
    return data if running.succeeded else None


@contextmanager
def stream_command(command: Command, said: IO[bytes] | None = None) -> Iterator[RunningGit]:
    """Start a command, yield its output, and end it with the block.

    Args:
        command: the command.
        said: the file for what git says on standard error, which is dropped without one.

    Raises:
        Fault: TIMEOUT when git and the block take longer together; UPSTREAM_ERROR if git cannot be started.
    """
    # A file, not a pipe: git may fill its output before it has read its input, and both sides would wait.
    with tempfile.TemporaryFile() as stdin:
        stdin.write(command.given)
        stdin.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - git with fixed options; a revision never begins with a dash
                command.argv,
                cwd=command.folder,
                env=dict(command.environ),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if said is None else said,
                # A group of its own, so that ssh and other children of git are killed with it.
                start_new_session=True,
            )
        except OSError as error:
            message = f"git cannot be started: {error.strerror or error}"
            raise Fault(Code.UPSTREAM_ERROR, message, help="Check that `git --version` works.") from None
        if process.stdout is None:
            raise RuntimeError("a pipe was requested")
        running = RunningGit(process.stdout, process)
        with process, _limit_time(running, command):
            yield running
            process.stdout.close()
            running.succeeded = process.wait() == 0


@contextmanager
def _limit_time(running: RunningGit, command: Command) -> Iterator[None]:
    """Kill git after its time, and at the end of the block.

    Raises:
        Fault: TIMEOUT, in place of what the block made of a truncated output.
    """
    late = Event()

    def kill_late() -> None:
        late.set()
        running.kill()

    timer = Timer(command.timeout, kill_late)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        running.kill()
        if late.is_set():
            raise Fault(Code.TIMEOUT, f"git took more than {command.timeout:.0f} s", help=command.remedy)
