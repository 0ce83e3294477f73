"""Limit of a request's body in bytes and seconds; it is read before the application is called."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code

from .refusal import Refusal

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope

_CLOSE = {"connection": "close"}
_MAX_DROPPED_BYTES = 64 * 1024 * 1024
_DROP_SECONDS = 5.0
"""Bounds of what is read of a refused body and dropped.

A connection that is closed with unread bytes is reset, and the client then never sees why it was refused.
"""


class BodyLimit(NamedTuple):
    """Limit of a body.

    Attributes:
        max_bytes: its size limit in bytes.
        seconds: the time until all of it has arrived.
    """

    max_bytes: int = 4 * 1024 * 1024
    seconds: float = 30.0


async def read_body(scope: Scope, receive: Receive, limit: BodyLimit) -> bytes | Refusal | None:
    """Read the whole body; None when the client has gone."""
    declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if not declared.isdigit() or len(declared) > len(str(limit.max_bytes)) or int(declared) > limit.max_bytes:
        if not any(name == b"expect" for name, _ in scope["headers"]):  # who asks first, has sent nothing yet
            await _drop_body(receive)
        return _make_size_refusal(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(limit.seconds):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > limit.max_bytes:
                    break
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        late = f"the body of the request did not arrive within {limit.seconds:g} s"
        return Refusal.make(408, Code.TIMEOUT, late, "Send the request again.", _CLOSE)
    body.clear()
    await _drop_body(receive)
    return _make_size_refusal(limit)


async def _drop_body(receive: Receive) -> None:
    """Read the rest of a body and drop it, up to a bound of bytes and seconds."""
    dropped = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DROP_SECONDS):
            while dropped <= _MAX_DROPPED_BYTES:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
                dropped += len(message.get("body", b""))


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once, and then what the client does."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again


def _make_size_refusal(limit: BodyLimit) -> Refusal:
    return Refusal.make(
        413,
        Code.INVALID_INPUT,
        f"the request is larger than {limit.max_bytes:,} bytes",
        "Send less in one request.",
        _CLOSE,
    )
