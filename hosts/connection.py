"""The host's own word on a server: its command that lists the servers and tries each."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Literal

from aurora.faults import find_program_outside

if TYPE_CHECKING:
    from pathlib import Path

    from .host import Host

Connection = Literal["yes", "no", "not known"]

ASK_SECONDS = 25.0
"""Time limit of the command; the assistants that were measured take 1 to 4 s."""
_MAX_BYTES = 200_000
_MAX_SAID_CHARS = 200
_COLORS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_FRAME = re.compile(r"[^\x20-\x7e]+")
"""Boxes, bullets and check marks around the words; each assistant has its own."""
_NEGATIVE = re.compile(
    r"\b(?:not connected|disconnected|disabled|pending|untrusted|fail(?:ed)?|error|blocked|rejected|needs)\b",
    re.IGNORECASE,
)
_POSITIVE = re.compile(r"\bconnected\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HostReply:
    """Reply of a host about a server.

    Attributes:
        connected: `yes` or `no` as the host says; `not known` when it says neither, or could not be asked.
        said: its line about the server, or why it could not be asked; empty for a host without such a command.
    """

    connected: Connection = "not known"
    said: str = ""


def ask_host(host: Host, server: str, root: Path, seconds: float = ASK_SECONDS) -> HostReply:
    """Run the host's own command in the project, and read its line about a server.

    The host starts every server that it knows for the folder, also those of others: ask only in a trusted folder.

    Args:
        host: the host; its program is looked up on PATH, outside of the project.
        server: the name of Aurora's entry.
        root: the project's folder, resolved.
        seconds: the time limit of the command.

    Returns:
        Its reply; no error is raised.
    """
    if not host.ask:
        return HostReply()
    program, *words = shlex.split(host.ask)
    found = find_program_outside(program, root)
    if found is None:
        return HostReply(said=f"there is no program `{program}` on PATH")
    with tempfile.TemporaryFile() as output:
        try:
            in_time = _run_in_time([found, *words], root, output, seconds)
        except (OSError, ValueError) as error:
            return HostReply(said=f"`{host.ask}` does not start ({getattr(error, 'strerror', None) or error})")
        if not in_time:
            return HostReply(said=f"`{host.ask}` did not end within {seconds:g} s")
        output.seek(0)
        text = output.read(_MAX_BYTES).decode("utf-8", "replace")
    return read_reply(text, server) or HostReply(said=f'`{host.ask}` does not mention "{server}"')


def read_reply(text: str, server: str) -> HostReply | None:
    """Read the line about a server in the output of a host's command; None when no line names it."""
    name = re.compile(rf"(?<![\w-]){re.escape(server)}(?![\w-])")
    for line in _COLORS.sub("", text).splitlines():
        said = " ".join(_FRAME.sub(" ", line).split())
        place = name.search(said)
        if place is None or place.start() > 0:  # other lines may have the name in a path
            continue
        rest = said[place.end() :].rpartition(" - ")[2]  # after the command line, which may have any words
        if _NEGATIVE.search(rest):
            return HostReply("no", said[:_MAX_SAID_CHARS])
        return HostReply("yes" if _POSITIVE.search(rest) else "not known", said[:_MAX_SAID_CHARS])
    return None


def _run_in_time(argv: list[str], root: Path, output: IO[bytes], seconds: float) -> bool:
    """Run a command with its output in a file; return False after it was killed at the time limit."""
    process = subprocess.Popen(  # noqa: S603 - the host's own command, found outside of the project
        argv,
        cwd=root,
        env={**os.environ, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,  # so that the servers that it started stop too
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    else:
        return True
    finally:
        process.kill()
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):  # all have exited already
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
