"""Transport over standard input and output: the two streams of the SDK's server."""

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

from .lines import RejectedLine, parse_message, read_lines
from .pending import ResponseStream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import mcp_types as types
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.shared._stream_protocols import ReadStream, WriteStream

    from aurora.tools.mcp.startup import StartRecorder

    IncomingMessage = types.JSONRPCMessage | RejectedLine | None

_DRAIN_SECONDS = 1.0
"""Seconds for the remaining responses after the end of input, so that `printf … | aur mcp` works."""


class _EmptyInput:
    """Empty input for the SDK; `_relay_messages` reads instead.

    The SDK's own reader drops lines that it cannot parse.
    """

    def __aiter__(self) -> _EmptyInput:
        return self

    async def __anext__(self) -> str:
        raise StopAsyncIteration


@asynccontextmanager
async def open_stdio(
    recorder: StartRecorder | None = None,
) -> AsyncIterator[tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]]:
    """Open the protocol's streams over standard input and output.

    Both are redirected meanwhile: a stray `print` goes to stderr, and a child process reads nothing.

    Args:
        recorder: takes over from the session that answered while the server was loaded, and sees every message.

    Yields:
        The stream of messages, which ends with standard input, and the stream for responses. An invalid line
        is answered here, with its id if it has one.
    """
    head = await recorder.take_over() if recorder is not None else b""
    with _claim_stdin() as descriptor:
        async with stdio_server(stdin=cast("Any", _EmptyInput())) as (unused, write):
            await unused.aclose()
            answers = ResponseStream(write, recorder)
            send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            async with anyio.create_task_group() as group, receive:
                group.start_soon(_relay_messages, (descriptor, head), send, answers, recorder)
                yield receive, answers
                group.cancel_scope.cancel()


async def _relay_messages(
    source: tuple[int, bytes],
    send: MemoryObjectSendStream[SessionMessage | Exception],
    answers: ResponseStream,
    recorder: StartRecorder | None,
) -> None:
    """Forward messages that a thread reads and parses, so that a large one does not delay other responses.

    Args:
        source: the file descriptor, and the bytes that were read from it before.
        send: the stream of messages to the server.
        answers: the stream of its responses.
        recorder: sees every request.
    """
    loop = asyncio.get_running_loop()
    arrivals: asyncio.Queue[IncomingMessage] = asyncio.Queue(maxsize=8)
    threading.Thread(target=_read_messages, args=(source, loop, arrivals), name="stdin", daemon=True).start()

    async def forward(message: types.JSONRPCMessage) -> None:
        answers.track_request(message)
        await send.send(SessionMessage(message))

    async with send, anyio.create_task_group() as group:
        if recorder is not None:
            group.start_soon(recorder.run, forward, answers.wait_until_answered)
        while (arrived := await arrivals.get()) is not None:
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                if isinstance(arrived, RejectedLine):
                    await answers.send(SessionMessage(arrived.answer))
                else:
                    if recorder is not None:
                        recorder.note_message(arrived)
                    await forward(arrived)
        await answers.wait_until_answered(_DRAIN_SECONDS)
        if recorder is not None:
            await recorder.finish()
        group.cancel_scope.cancel()


def _read_messages(
    source: tuple[int, bytes], loop: asyncio.AbstractEventLoop, arrivals: asyncio.Queue[IncomingMessage]
) -> None:
    for line, whole in read_lines(*source):
        message = parse_message(line, whole=whole)
        if message is not None and not _enqueue_message(message, loop, arrivals):
            return
    _enqueue_message(None, loop, arrivals)


def _enqueue_message(
    message: IncomingMessage, loop: asyncio.AbstractEventLoop, arrivals: asyncio.Queue[IncomingMessage]
) -> bool:
    """Put a message into the queue of the loop and wait for room; return False if the loop has ended."""
    putting = arrivals.put(message)
    try:
        asyncio.run_coroutine_threadsafe(putting, loop).result()
    except BaseException:  # noqa: BLE001 - the loop is closed or the wait cancelled: the server has stopped
        putting.close()
        return False
    return True


@contextlib.contextmanager
def _claim_stdin() -> Iterator[int]:
    """Yield a private copy of descriptor 0, which reads nothing meanwhile."""
    private = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        yield private
    finally:
        # The copy stays open: the reading thread may still wait on it, and its number must not be reused.
        os.dup2(private, 0)
