"""Requests that wait for an answer, so that the end of input does not take it from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import anyio
import mcp_types as types

if TYPE_CHECKING:
    from types import TracebackType

    from mcp.shared._stream_protocols import WriteStream
    from mcp.shared.message import SessionMessage

_LISTEN_METHOD = "subscriptions/listen"
"""Its answer is the stream itself, which ends with the server."""


class ResponseStream:
    """The stream of answers, which knows which requests have had theirs.

    Args:
        write: the stream that it writes to; closed with this one.
    """

    def __init__(self, write: WriteStream[SessionMessage]) -> None:
        self._stream = write
        self._unanswered: set[int | str] = set()
        self._answered = anyio.Event()

    def track_request(self, message: types.JSONRPCMessage) -> None:
        """Note a message that came in."""
        if isinstance(message, types.JSONRPCRequest) and message.method != _LISTEN_METHOD:
            self._unanswered.add(message.id)

    async def wait_until_answered(self, patience: float) -> None:
        """Wait until every request has its answer, at most so many seconds."""
        with anyio.move_on_after(patience):
            while self._unanswered:
                self._answered = anyio.Event()
                await self._answered.wait()

    async def send(self, item: SessionMessage, /) -> None:
        """Write one message."""
        await self._stream.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError) and item.message.id is not None:
            self._unanswered.discard(item.message.id)
            self._answered.set()

    async def aclose(self) -> None:
        """Close the stream beneath."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
