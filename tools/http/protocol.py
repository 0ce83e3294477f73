"""Protocol of a connection with limits that uvicorn lacks: connections, and the time of a head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .light_uvicorn import H11Protocol

if TYPE_CHECKING:
    import asyncio

MAX_CONNECTIONS = 1_000
"""Connections of one process; the next one takes the place of the one that has been idle for longest."""


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
        self.idle_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's own
        """Begin to wait for a request; with too many connections, end the one that has been idle for longest.

        Whoever opens many connections and sends nothing would otherwise shut out those who ask, health checks too.
        """
        super().connection_made(transport)
        self.idle_since = self.loop.time()
        self._start_head_timer()
        if len(self.connections) > MAX_CONNECTIONS:
            idle = [one for one in self.connections if isinstance(one, BoundedProtocol) and one.is_idle]
            min(idle, key=lambda one: one.idle_since).transport.abort()

    @property
    def is_idle(self) -> bool:
        """True while no request is answered; always so for a new connection."""
        return not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete)

    def handle_events(self) -> None:
        """Handle what has arrived, and limit the time until a head is complete."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self.idle_since = self.loop.time()
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
