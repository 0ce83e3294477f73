"""Run of an ASGI application on a bound socket, until a signal ends it."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .guard import MAX_HEAD_BYTES

if TYPE_CHECKING:
    import asyncio
    import socket
    from collections.abc import Callable, Iterator
    from types import FrameType

    from starlette.types import ASGIApp


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of a server.

    Attributes:
        stop_seconds: how long running requests may go on after SIGTERM; then they are cancelled.
        idle_seconds: how long a connection may stay open between two requests.
        head_seconds: time in which the head of a request must arrive, from its connection or its first byte.
    """

    stop_seconds: int = 30
    idle_seconds: int = 65
    head_seconds: float = 10.0


def run_server(
    app: ASGIApp,
    listening: socket.socket,
    options: ServerOptions | None = None,
    announce: Callable[[], None] | None = None,
    stop: Callable[[], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT: finish what runs, take nothing new, and return.

    Args:
        app: the application; its lifespan begins before the first request and ends after the last.
        listening: the bound socket, which is closed at the end.
        options: limits of time.
        announce: called once the server takes requests, to print its address.
        stop: called when the end begins, to end streams that would go on for ever.

    Raises:
        RuntimeError: the lifespan of the application failed to start.
    """
    server = _GracefulServer(make_config(app, options or ServerOptions()), announce, stop)
    try:
        server.run(sockets=[listening])
    except SystemExit as error:  # raised by uvicorn after it has logged the failed start
        raise RuntimeError("the server could not start") from error
    finally:
        listening.close()


def make_config(app: Any, options: ServerOptions, **more: Any) -> uvicorn.Config:
    """Return the configuration: no log and no headers of uvicorn's own, no trust in a proxy's."""
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    return uvicorn.Config(
        app,
        http=cast("type[BoundedProtocol]", partial(BoundedProtocol, head_seconds=options.head_seconds)),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        # Any client can send a proxy's headers, and so an address that is not its own.
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=options.idle_seconds,
        timeout_graceful_shutdown=options.stop_seconds,
        **more,
    )


class _GracefulServer(uvicorn.Server):
    """Server that returns after a signal; uvicorn's own raises the signal again, which is no success."""

    def __init__(
        self, config: uvicorn.Config, announce: Callable[[], None] | None, stop: Callable[[], None] | None
    ) -> None:
        super().__init__(config)
        self._announce = announce
        self._stop = stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and announce it."""
        await super().startup(sockets)
        if self.started and self._announce is not None:
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams, and wait for the other requests."""
        if self._stop is not None:
            self._stop()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGTERM and SIGINT; a second signal ends without waiting."""
        # Python lets only the main thread handle signals.
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's signature
        """Begin the graceful stop, or end at once at the second signal."""
        if self.should_exit:
            self.force_exit = True
        self.should_exit = True


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
        # A part of the next head has arrived: that one, too, has to be complete in time.
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
