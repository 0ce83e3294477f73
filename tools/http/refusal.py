"""Refusal of a request: its HTTP status with a code, a message and a remedy."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Send

_INVALID_REQUEST = -32600
"""Error number of JSON-RPC for a request that is refused as a whole."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refusal of a request before its application sees it.

    Attributes:
        status: the HTTP status.
        fault: the code, the message and the remedy.
        headers: headers of the response, such as Retry-After.
    """

    status: int
    fault: Fault
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def make(
        cls, status: int, code: Code, message: str, remedy: str = "", headers: Mapping[str, str] | None = None
    ) -> Refusal:
        """Return a refusal with a new fault."""
        return cls(status, Fault(code, message, help=remedy), headers or {})

    def to_json(self) -> bytes:
        """Return the body: an error of JSON-RPC without an id, as MCP says, with Aurora's error as its data."""
        data = {"status": "error", "error": self.fault.to_json()}
        error = {"code": _INVALID_REQUEST, "message": self.fault.message, "data": data}
        return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}, separators=(",", ":")).encode()


async def send_plain_refusal(send: Send, refusal: Refusal) -> None:
    """Send the refusal as plain text for a person, and let no cache keep it."""
    text = f"{refusal.fault.message}\n{refusal.fault.help}\n".encode()
    headers = {"cache-control": "no-store", **refusal.headers}
    await send_response(send, refusal.status, text, "text/plain; charset=utf-8", headers)


async def send_refusal(send: Send, refusal: Refusal) -> None:
    """Send the refusal as JSON, and let no cache keep it."""
    headers = {"cache-control": "no-store", **refusal.headers}
    await send_response(send, refusal.status, refusal.to_json(), headers=headers)


async def send_response(
    send: Send,
    status: int,
    body: bytes = b"",
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send a whole response.

    Args:
        send: of the ASGI application.
        status: the HTTP status.
        body: its bytes; with none, no content type is sent.
        content_type: the media type of the body.
        headers: more headers.
    """
    named = {"content-length": str(len(body)), **({"content-type": content_type} if body else {}), **(headers or {})}
    lines = [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body, "more_body": False})
