"""Probe of a server, started or over HTTP, and the host's own word on it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from aurora.system.programs import find_program_outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .entry import RemoteServer
    from .host import Host


DEFAULT_TOOLS = ("aurora_query", "aurora_search", "aurora_get")
"""Tools that the server offers by default."""

ProtocolEra = Literal["handshake", "stateless"]
"""MCP protocol: with an initial handshake, or stateless (version 2026-07-28 and later)."""

_LIST_ID = "list"
_CLIENT = {"name": "aur", "version": "1"}
_STATELESS_PARAMS = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": _CLIENT,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
_UNCACHED = {"aurora/probe": True}
"""Metadata of a request that no cache answers: the server itself must start."""
_MESSAGES: dict[ProtocolEra, tuple[dict[str, Any], ...]] = {
    "handshake": (
        {
            "id": "initialize",
            "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _CLIENT},
        },
        {"method": "notifications/initialized"},
        {"id": _LIST_ID, "method": "tools/list", "params": {"_meta": _UNCACHED}},
    ),
    "stateless": (
        {"id": "discover", "method": "server/discover", "params": _STATELESS_PARAMS},
        {"id": _LIST_ID, "method": "tools/list", "params": {"_meta": {**_STATELESS_PARAMS["_meta"], **_UNCACHED}}},
    ),
}
_MAX_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Tools that a server lists; `problem` says why there are none."""

    tools: tuple[str, ...] = ()
    problem: str = ""


def list_server_tools(
    argv: Sequence[str],
    folder: Path,
    seconds: float = 20.0,
    *,
    era: ProtocolEra = "handshake",
    environ: Mapping[str, str] | None = None,
) -> ProbeResult:
    """Start a server over standard input and output, list its tools, stop it.

    Args:
        argv: the command line; the program is looked up as by a shell.
        folder: the working folder.
        seconds: the timeout.
        era: the protocol version.
        environ: the environment; None passes this process's own.

    Returns:
        The tools or the problem; no error is raised.
    """
    # A file and not a pipe: a server that says much would stop at a full pipe that nobody reads.
    with tempfile.TemporaryFile() as log:
        try:
            process = subprocess.Popen(  # noqa: S603 - the host starts the same command
                list(argv),
                cwd=folder,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # so that children of a wrapper stop too
            )
        except (OSError, ValueError) as error:
            return ProbeResult(problem=f"it does not start ({getattr(error, 'strerror', None) or error})")
        with _end_in_time(process, seconds) as is_late:
            tools = _request_tools(process, era)
        if tools is not None:
            return ProbeResult(tools)
        if is_late.is_set():
            return ProbeResult(problem=f"it did not list its tools within {seconds:g} s")
        return ProbeResult(problem=f"it ended without listing its tools{_read_last_line(log)}")


def build_stateless_list() -> dict[str, Any]:
    """Build the request that lists the tools without a handshake."""
    return {"jsonrpc": "2.0", **_MESSAGES["stateless"][-1]}


@contextlib.contextmanager
def _end_in_time(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """End a process of a session of its own, and all that it started, at the end or when its time is over.

    Yields:
        An event that is set when the time was over.
    """
    is_late = threading.Event()

    def end_late() -> None:
        is_late.set()
        _kill_process(process)

    # A read of the server's output has no timeout of its own; the kill ends it.
    timer = threading.Timer(seconds, end_late)
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()
        _end_process(process)


def _request_tools(process: subprocess.Popen[bytes], era: ProtocolEra) -> tuple[str, ...] | None:
    if process.stdin is None or process.stdout is None:
        return None
    with contextlib.suppress(OSError):  # it has exited already; its output is read below
        for message in _MESSAGES[era]:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()
    # Wrappers and servers may print other lines first; a line without end is read in parts.
    while line := process.stdout.readline(_MAX_BYTES):
        try:
            response = json.loads(line)
        except ValueError:
            continue
        if isinstance(response, dict) and response.get("id") == _LIST_ID:
            return read_tool_names(response.get("result"))
    return None


def read_tool_names(result: Any) -> tuple[str, ...] | None:
    """Read the names of the tools in the result of `tools/list`; None if it has none."""
    tools = result.get("tools") if isinstance(result, dict) else None
    if not isinstance(tools, list):
        return None
    return tuple(str(tool.get("name")) for tool in tools if isinstance(tool, dict))


def _end_process(process: subprocess.Popen[bytes]) -> None:
    """Stop the process: close its input first, kill it after a timeout."""
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            # The end of its input is how a server over standard input and output is asked to stop.
            process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2)
    _kill_process(process)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its children, which may keep its output open."""
    process.kill()
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):  # all have exited already
            # What a wrapper such as uvx started has the output open too, and a read would wait for it.
            os.killpg(process.pid, signal.SIGKILL)


def _read_last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read(_MAX_BYTES).decode("utf-8", "replace").strip().splitlines()
    return f': "{lines[-1][:200]}"' if lines else ""


_STATUS_TOKEN = 401
_STATUS_OK = 200
_TOKEN = re.compile(r"[!-~]{1,8000}")
_HELP = {
    401: "it refuses the token",
    403: "it refuses this caller",
    404: "it has no such project for this token",
    421: "it does not answer for this host name",
}


def list_http_tools(remote: RemoteServer, token: str = "", seconds: float = 10.0) -> ProbeResult:
    """List the tools of a server over HTTP; follow no redirection, so that the token goes nowhere else.

    Args:
        remote: the address.
        token: the value of its variable; empty sends none.
        seconds: the timeout of each step.

    Returns:
        The tools or the problem; no error is raised.
    """
    if token and not _TOKEN.fullmatch(token):
        return ProbeResult(problem=f"the value of {remote.token_name} has characters that no token has")
    parts = urlsplit(remote.url)
    build = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = build(parts.hostname or "", parts.port, timeout=seconds)
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/list",
        **({"Authorization": f"Bearer {token}"} if token else {}),
    }
    try:
        connection.request("POST", parts.path, json.dumps(build_stateless_list()), headers)
        response = connection.getresponse()
        status, data = response.status, response.read(_MAX_BYTES)
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        return ProbeResult(problem=f"it does not answer ({getattr(error, 'strerror', None) or error})"[:300])
    finally:
        connection.close()
    if status != _STATUS_OK:
        reason = "it asks for a token" if status == _STATUS_TOKEN and not token else _HELP.get(status)
        return ProbeResult(problem=f"{reason or 'it does not answer as a server of MCP'} (HTTP {status})")
    return _read_answer(data)


def _read_answer(data: bytes) -> ProbeResult:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    tools = read_tool_names(answer.get("result")) if isinstance(answer, dict) else None
    return ProbeResult(problem="it did not list its tools") if tools is None else ProbeResult(tools)


Connection = Literal["yes", "no", "not known"]

ASK_SECONDS = 25.0
"""Time limit of the command; the assistants that were measured take 1 to 4 s."""
_MAX_REPLY_BYTES = 200_000
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
            process = subprocess.Popen(  # noqa: S603 - the host's own command, found outside of the project
                [found, *words],
                cwd=root,
                env={**os.environ, "NO_COLOR": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # so that the servers that it started stop too
            )
        except (OSError, ValueError) as error:
            return HostReply(said=f"`{host.ask}` does not start ({getattr(error, 'strerror', None) or error})")
        with _end_in_time(process, seconds) as is_late:
            process.wait()
        if is_late.is_set():
            return HostReply(said=f"`{host.ask}` did not end within {seconds:g} s")
        output.seek(0)
        text = output.read(_MAX_REPLY_BYTES).decode("utf-8", "replace")
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
        # First, since "not connected" has the word for connected in it.
        if _NEGATIVE.search(rest):
            return HostReply("no", said[:_MAX_SAID_CHARS])
        return HostReply("yes" if _POSITIVE.search(rest) else "not known", said[:_MAX_SAID_CHARS])
    return None
