"""Tracking of unanswered requests, so that the end of input does not drop their responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import anyio
import mcp_types as types

if TYPE_CHECKING:
    from types import TracebackType

    from mcp.shared._stream_protocols import WriteStream
    from mcp.shared.message import SessionMessage

    from aurora.tools.mcp.startup import StartRecorder

_LISTEN_METHOD = "subscriptions/listen"
"""Method whose response is a stream that ends with the server."""


class ResponseStream:
    """Stream of responses that tracks which requests are unanswered.

    Args:
        write: the stream that it writes to, and closes.
        recorder: takes the responses that the host did not ask for.
    """

    def __init__(self, write: WriteStream[SessionMessage], recorder: StartRecorder | None) -> None:
        self._stream = write
        self._recorder = recorder
        self._unanswered: set[int | str] = set()
        self._answered = anyio.Event()

    def track_request(self, message: types.JSONRPCMessage) -> None:
        """Track a received message if it is a request."""
        if isinstance(message, types.JSONRPCRequest) and message.method != _LISTEN_METHOD:
            self._unanswered.add(message.id)

    async def wait_until_answered(self, seconds: float | None = None) -> None:
        """Wait until every request has its response, at most this many seconds."""
        with anyio.move_on_after(seconds):
            while self._unanswered:
                self._answered = anyio.Event()
                await self._answered.wait()

    async def send(self, item: SessionMessage, /) -> None:
        """Write one message."""
        message = item.message
        response = message if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) else None
        is_taken = response is not None and self._recorder is not None and self._recorder.take_response(response)
        if not is_taken:
            await self._stream.send(item)
        if response is not None and response.id is not None:
            self._unanswered.discard(response.id)
            self._answered.set()

    async def aclose(self) -> None:
        """Close the underlying stream."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
