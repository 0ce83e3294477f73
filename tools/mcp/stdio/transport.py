"""Standard input and output as the two streams that the SDK's server reads and writes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from .lines import Refused, lines, parsed
from .pending import Pending

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import mcp_types as types
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.shared._stream_protocols import ReadStream, WriteStream

    Arrival = types.JSONRPCMessage | Refused | None

_PATIENCE = 1.0
"""Seconds that requests still have for their answers once input has ended: `printf … | aur mcp` is answered too."""


class _Silence:
    """A standard input that has ended: the SDK's own reader drops a line it cannot parse, so ours reads instead."""

    def __aiter__(self) -> _Silence:
        return self

    async def __anext__(self) -> str:
        raise StopAsyncIteration


@asynccontextmanager
async def stdio() -> AsyncIterator[tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]]:
    """Serve the protocol over the process's standard streams.

    Both are diverted meanwhile, so that a stray `print` lands on stderr and a child process reads nothing.

    Yields:
        The stream of messages, which ends with standard input, and the stream for answers. A line that is no message
        is answered here, with its id when it shows one.
    """
    with _claimed_stdin() as descriptor:
        async with stdio_server(stdin=cast("Any", _Silence())) as (unused, write):
            await unused.aclose()
            answers = Pending(write)
            send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            async with anyio.create_task_group() as group, receive:
                group.start_soon(_relay, descriptor, send, answers)
                yield receive, answers
                group.cancel_scope.cancel()


async def _relay(descriptor: int, send: MemoryObjectSendStream[SessionMessage | Exception], answers: Pending) -> None:
    """Hand on what a thread of its own reads and parses; a large message never holds up the others' answers."""
    loop = asyncio.get_running_loop()
    arrivals: asyncio.Queue[Arrival] = asyncio.Queue(maxsize=8)
    threading.Thread(target=_read_all, args=(descriptor, loop, arrivals), name="stdin", daemon=True).start()
    async with send:
        while (arrived := await arrivals.get()) is not None:
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                if isinstance(arrived, Refused):
                    await answers.send(SessionMessage(arrived.answer))
                else:
                    answers.asked(arrived)
                    await send.send(SessionMessage(arrived))
        await answers.settled(_PATIENCE)


def _read_all(descriptor: int, loop: asyncio.AbstractEventLoop, arrivals: asyncio.Queue[Arrival]) -> None:
    for line, whole in lines(descriptor):
        message = parsed(line, whole=whole)
        if message is not None and not _put(message, loop, arrivals):
            return
    _put(None, loop, arrivals)


def _put(message: Arrival, loop: asyncio.AbstractEventLoop, arrivals: asyncio.Queue[Arrival]) -> bool:
    """Wait until the loop has room for it; False when the loop has ended."""
    handing = arrivals.put(message)
    try:
        asyncio.run_coroutine_threadsafe(handing, loop).result()
    except BaseException:  # noqa: BLE001 - the loop is closed or the wait cancelled: the server has stopped
        handing.close()
        return False
    return True


@contextlib.contextmanager
def _claimed_stdin() -> Iterator[int]:
    """A private copy of descriptor 0, which itself reads nothing meanwhile."""
    private = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        yield private
    finally:
        # The copy stays open: the reading thread may still wait on it, and its number must not be given to another.
        os.dup2(private, 0)
