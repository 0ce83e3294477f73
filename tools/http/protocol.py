"""Protocol of a connection with limits that uvicorn lacks: connections, and the time of a head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .light_uvicorn import H11Protocol

if TYPE_CHECKING:
    import asyncio

MAX_CONNECTIONS = 1_000
"""Connections of one process; the next one is closed."""


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 connection that a slow or silent client cannot keep open.

    Args:
        given: of uvicorn.
        head_seconds: time in which the head of a request must arrive, from its connection or its first byte.
        named: of uvicorn.
    """

    def __init__(self, *given: Any, head_seconds: float, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_seconds = head_seconds
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's own
        """Close the connection at once when there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._start_head_timer()

    def handle_events(self) -> None:
        """Handle what has arrived, and limit the time until a head is complete."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._stop_head_timer()
        elif (self.cycle is None or self.cycle.response_complete) and self.conn.trailing_data[0]:
            self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_head_timer()
        super().connection_lost(exc)

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self._head_seconds, self.transport.abort)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
