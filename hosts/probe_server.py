"""Probe of a server: start it as a host does and list its tools."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

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
    with tempfile.TemporaryFile() as log:
        try:
            process = _start_server(argv, folder, environ, log)
        except (OSError, ValueError) as error:
            return ProbeResult(problem=f"it does not start ({getattr(error, 'strerror', None) or error})")
        tools, is_late = _request_in_time(process, era, seconds)
        if tools is not None:
            return ProbeResult(tools)
        if is_late:
            return ProbeResult(problem=f"it did not list its tools within {seconds:g} s")
        return ProbeResult(problem=f"it ended without listing its tools{_read_last_line(log)}")


def build_stateless_list() -> dict[str, Any]:
    """Build the request that lists the tools without a handshake."""
    return {"jsonrpc": "2.0", **_MESSAGES["stateless"][-1]}


def _start_server(
    argv: Sequence[str], folder: Path, environ: Mapping[str, str] | None, log: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - the host starts the same command
        list(argv),
        cwd=folder,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        start_new_session=True,  # so that children of a wrapper stop too
    )


def _request_in_time(
    process: subprocess.Popen[bytes], era: ProtocolEra, seconds: float
) -> tuple[tuple[str, ...] | None, bool]:
    """Request the tools and end the server; the second value is true when the time was over before."""
    over = threading.Event()

    def kill_on_timeout() -> None:
        over.set()
        _kill_process(process)

    timer = threading.Timer(seconds, kill_on_timeout)
    timer.start()
    try:
        tools = _request_tools(process, era)
    finally:
        timer.cancel()
        _end_process(process)
    return tools, over.is_set()


def _request_tools(process: subprocess.Popen[bytes], era: ProtocolEra) -> tuple[str, ...] | None:
    if process.stdin is None or process.stdout is None:
        return None
    with contextlib.suppress(OSError):  # it has exited already; its output is read below
        for message in _MESSAGES[era]:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()
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
            process.stdin.close()
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        _kill_process(process)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its children, which may keep its output open."""
    process.kill()
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):  # all have exited already
            os.killpg(process.pid, signal.SIGKILL)


def _read_last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read(_MAX_BYTES).decode("utf-8", "replace").strip().splitlines()
    return f': "{lines[-1][:200]}"' if lines else ""
