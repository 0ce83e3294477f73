"""Connection of a client to the endpoint of pushes; it repeats failed requests."""

from __future__ import annotations

import http.client
import json
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from aurora.faults import Code, Fault, show_hidden_line
from aurora.hosts import RemoteServer

if TYPE_CHECKING:
    from collections.abc import Mapping

_OK, _TOO_MANY, _UNAVAILABLE = 200, 429, 503
_MAX_ANSWER = 16 << 20
_TIMEOUT_SECONDS = 120.0
_ATTEMPTS = 5
_MAX_DELAY_SECONDS = 30.0
_MAX_SAID = 500
_PATH = re.compile(r"(?P<project>.*/p/[a-z0-9][a-z0-9_-]{0,62})(?:/mcp)?/?")
_TOKEN = re.compile(r"[!-~]{1,8000}")
_EXAMPLE = "Pass --to https://HOST/p/NAME, the address of the project that `aur serve` prints."
_NO_ANSWER_HELP = "Check that the server runs, and that host, port and http or https are those that `aur serve` prints."
_SIGN_IN_HELP = "Pass --token-env NAME with the environment variable that has your token; the operator makes one."


class PushConnection:
    """Connection to one project of a server. It follows no redirection.

    Args:
        url: the address of the project, with or without `/mcp` at its end.
        token: sent with each request; empty for none.
        token_name: the variable that had the token, for messages.

    Raises:
        Fault: INVALID_INPUT for an address of another form, a token that has characters no token has, or one that would
            go over plain http to another machine.
    """

    def __init__(self, url: str, token: str = "", token_name: str = "") -> None:
        found = _PATH.fullmatch(urlsplit(url).path) if "?" not in url and "#" not in url else None
        if found is None:
            raise Fault(Code.INVALID_INPUT, "this is not the address of a project of a server", help=_EXAMPLE)
        if token and not _TOKEN.fullmatch(token):
            raise Fault(
                Code.INVALID_INPUT, f"the value of {token_name} has characters that no token has", help=_EXAMPLE
            )
        parts = urlsplit(
            RemoteServer.parse(f"{url.rstrip('/').removesuffix('/mcp')}/mcp", token_name if token else "").url
        )
        self._path = found["project"]
        build = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = build(parts.hostname or "", parts.port, timeout=_TIMEOUT_SECONDS)
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}

    def post(self, step: str, value: Mapping[str, object]) -> dict[str, Any]:
        """Send a step and return its answer; repeat it while the server is busy or does not answer.

        Raises:
            Fault: that of the server; UPSTREAM_ERROR when it does not answer as one.
        """
        body = json.dumps(value)
        for attempt in range(_ATTEMPTS):
            is_last = attempt + 1 == _ATTEMPTS
            try:
                status, headers, data = self._send(step, body)
            except (OSError, http.client.HTTPException) as error:
                if is_last:
                    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
                    message = f"the server does not answer ({show_hidden_line(said[:_MAX_SAID])})"
                    raise Fault(Code.UPSTREAM_ERROR, message, help=_NO_ANSWER_HELP) from None
                time.sleep(min(0.2 * 2**attempt, _MAX_DELAY_SECONDS))
                continue
            if status in {_TOO_MANY, _UNAVAILABLE} and not is_last and headers.get("retry-after", "").isdigit():
                time.sleep(min(float(headers["retry-after"]), _MAX_DELAY_SECONDS))
                continue
            return _read_answer(status, data)
        raise AssertionError("unreachable")

    def _send(self, step: str, body: str) -> tuple[int, dict[str, str], bytes]:
        try:
            self._connection.request("POST", f"{self._path}/push/{step}", body, self._headers)
            response = self._connection.getresponse()
            data = response.read(_MAX_ANSWER)
        except (OSError, http.client.HTTPException):
            self._connection.close()  # the next request opens it again
            raise
        return response.status, {name.lower(): value for name, value in response.getheaders()}, data

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _read_answer(status: int, data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    if status == _OK and isinstance(answer, dict):
        return answer
    try:
        said = answer["error"]["data"]["error"]
        code = Code(said["code"])
        help_ = _SIGN_IN_HELP if code is Code.UNAUTHORIZED else _clean(said.get("help") or "")
        fault = Fault(code, _clean(said["message"]), help=help_)
    except (LookupError, TypeError, ValueError, AttributeError):
        message = f"the address does not answer as a server of Aurora that takes pushes (HTTP {status})"
        raise Fault(Code.UPSTREAM_ERROR, message, help=_EXAMPLE) from None
    raise fault


def _clean(text: str) -> str:
    return show_hidden_line(str(text)[:_MAX_SAID])
