"""Probe of a server over HTTP: list its tools without a handshake."""

from __future__ import annotations

import http.client
import json
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .probe_server import ProbeResult, build_stateless_list, read_tool_names

if TYPE_CHECKING:
    from .remote import RemoteServer

_MAX_BYTES = 4_000_000
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
