"""Server over standard input and output: its session, its streams, and the errors for invalid lines."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import signal
import threading
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from aurora import early
from aurora.errors import Code, Fault
from aurora.tools.commands.process import end_programs

from .protocol_server import build_protocol_server
from .threads import run_in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable
    from types import TracebackType

    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.shared._stream_protocols import ReadStream, WriteStream

    from aurora.tools.core import Project, Tool

    IncomingMessage: TypeAlias = "types.JSONRPCMessage | RejectedLine | None"

_DRAIN_SECONDS = 3.0
"""Seconds for the remaining responses after the end of input, so that `printf … | aur mcp` works.

A first search on a busy machine takes more than one; a host that wants to wait less sends a signal."""
_LISTEN_METHOD = "subscriptions/listen"
"""Method whose response is a stream that ends with the server."""
MAX_VALUES = 100_000
"""Values of one message; its parser takes 0.5 s for a million, and answers nothing meanwhile."""
MAX_STRIPPED_BYTES = 1 << 20
"""Bytes of a line whose values are counted before those of the whole."""
_HEAD_CHARACTERS = 1 << 18
"""Characters in which the id of a line with too many values is searched."""
# Whole strings (braces inside them do not count), and brackets.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_ID = re.compile(r'\s*:\s*(?:(-?\d{1,18})(?![\d.eE])|("(?:[^"\\]++|\\.){0,200}+"))', re.DOTALL)

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
# The last pair of an object: what its last bracket closes is the object itself.
_LAST_ID = re.compile(r'[,{]\s*("id"\s*:\s*(?:-?\d{1,18}|"(?:[^"\\]|\\.){0,200}+"))\s*\}\s*$', re.DOTALL)
_ID_KEY = re.compile(r"\s*:")
_LINE_HELP = "Send one JSON-RPC 2.0 message a line, at most 100 levels deep and with arguments of at most 1 MB."
_PARAMS_HELP = 'Send params such as {"name": "aurora_search", "arguments": {"query": "words"}}.'
_NAMED_METHODS = frozenset({"tools/call", "prompts/get"})
_JSON_NAMES = {list: "an array", str: "a text", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """Line that is not a message, with the error response to it."""

    answer: types.JSONRPCError


def run_server(project: Project, tools: Iterable[Tool[Any, Any]]) -> None:
    """Serve on standard input and output until the input ends or a signal arrives.

    Args:
        project: the open project.
        tools: the tools to offer.

    Raises:
        OSError: standard output cannot be written to any more: the host has closed it, or the disk is full.
    """
    try:
        anyio.run(_serve_session, project, tuple(tools))
    except BaseExceptionGroup as group:
        raise _find_write_error(group) or group from None
    finally:
        # A program that a call has started must not go on without a server to end it.
        end_programs()


def _find_write_error(group: BaseExceptionGroup[BaseException]) -> OSError | None:
    """Return the failed write in a group of errors; None if it contains another error."""
    failed, others = group.split((OSError, anyio.BrokenResourceError, anyio.ClosedResourceError))
    waiting: list[BaseException] = [failed] if failed is not None and others is None else []
    while waiting:
        error = waiting.pop()
        if isinstance(error, OSError):
            return error
        waiting += error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return None


async def _serve_session(project: Project, tools: tuple[Tool[Any, Any], ...]) -> None:
    built = build_protocol_server(project, tools)
    async with open_stdio() as (read, write), anyio.create_task_group() as group:
        group.start_soon(_cancel_on_signal, group.cancel_scope)
        group.start_soon(built.watch.run)
        await built.server.run(read, write, built.options)
        # Streams of notifications end only with the server; whoever holds one would wait for ever.
        built.listen.close()
        group.cancel_scope.cancel()


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return


# ── the streams ──


class _EmptyInput:
    """Empty input for the SDK; `_relay_messages` reads instead.

    The SDK's own reader drops lines that it cannot parse.
    """

    def __aiter__(self) -> _EmptyInput:
        return self

    async def __anext__(self) -> str:
        raise StopAsyncIteration


@asynccontextmanager
async def open_stdio() -> AsyncIterator[tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]]:
    """Open the protocol's streams over standard input and output, and go on where the early answers end.

    Both are redirected meanwhile: a stray `print` goes to stderr, and a child process reads nothing.

    Yields:
        The stream of messages, which ends with standard input, and the stream for responses. An invalid line
        is answered here, with its id if it has one.
    """
    reader = await run_in_thread(early.take_reader, "stdin")  # waits while the host does not read an answer
    try:
        async with stdio_server(stdin=cast("Any", _EmptyInput())) as (unused, write):
            await unused.aclose()
            answers = ResponseStream(write, reader.replayed)
            send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            async with anyio.create_task_group() as group, receive:
                group.start_soon(_relay_messages, reader, send, answers)
                yield receive, answers
                group.cancel_scope.cancel()
    finally:
        reader.restore()


async def _relay_messages(
    reader: early.InputReader, send: MemoryObjectSendStream[SessionMessage | Exception], answers: ResponseStream
) -> None:
    """Forward messages that a thread parses, so that a large one does not delay other responses."""
    loop = asyncio.get_running_loop()
    # Bounded, so that a host that sends faster than messages are handled waits at its pipe.
    arrivals: asyncio.Queue[IncomingMessage] = asyncio.Queue(maxsize=8)
    threading.Thread(target=_parse_messages, args=(reader, loop, arrivals), name="parse", daemon=True).start()
    async with send, anyio.create_task_group() as group:
        while (arrived := await arrivals.get()) is not None:
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                if isinstance(arrived, RejectedLine):
                    await answers.send(SessionMessage(arrived.answer))
                else:
                    answers.track_request(arrived)
                    await send.send(SessionMessage(arrived))
        await answers.wait_until_answered(_DRAIN_SECONDS)
        group.cancel_scope.cancel()


def _parse_messages(
    reader: early.InputReader, loop: asyncio.AbstractEventLoop, arrivals: asyncio.Queue[IncomingMessage]
) -> None:
    for line, whole in reader.list_lines():
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


class ResponseStream:
    """Stream of responses that tracks which requests are unanswered.

    Args:
        write: the stream that it writes to, and closes.
        unwanted: ids of requests whose responses the host has already; theirs are dropped.
    """

    def __init__(self, write: WriteStream[SessionMessage], unwanted: Collection[str]) -> None:
        self._stream = write
        self._unwanted = unwanted
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
        if response is None or response.id not in self._unwanted:
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


# ── the lines ──


def parse_message(line: bytes, *, whole: bool = True) -> types.JSONRPCMessage | RejectedLine | None:
    """Return the message in a line, or None for a blank line."""
    text = line.decode("utf-8", "replace")
    if not text.strip():
        return None
    if not whole:
        return _reject_line(
            text, types.INVALID_REQUEST, f"the message is larger than {early.MAX_LINE_BYTES // 1024 // 1024} MiB"
        )
    if _has_too_many_values(line):
        return _reject_values(text)
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        if found["type"] == "json_invalid":
            reason = str(found.get("ctx", {}).get("error", found["msg"]))
            return _reject_line(text, types.PARSE_ERROR, f"the message cannot be read as JSON: {reason}")
        return _reject_line(text, types.INVALID_REQUEST, "the message is not a JSON-RPC 2.0 request")
    return _reject_wrong_form(message, text) or message


def _has_too_many_values(line: bytes) -> bool:
    """Count brackets and commas, those in strings only when the others could be too many."""
    if _count_marks(line) <= MAX_VALUES:
        return False
    parts = (line[:MAX_STRIPPED_BYTES], line)  # the head is enough for a line of values without long texts
    return any(_count_marks(_STRING.sub(b"", part)) > MAX_VALUES for part in parts)


def _count_marks(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _reject_values(text: str) -> RejectedLine:
    """Reject a line with too many values; its id is first or last, where all libraries write it."""
    last = _LAST_ID.search(text, max(0, len(text) - _HEAD_CHARACTERS))
    head = f"{{{last[1]}}}" if last else text[:_HEAD_CHARACTERS]
    return _reject_line(head, types.INVALID_REQUEST, f"the message has more than {MAX_VALUES:,} values")


def _reject_wrong_form(message: types.JSONRPCMessage, text: str) -> RejectedLine | None:
    """Reject a message that the SDK would answer without a reason, or not at all."""
    if isinstance(message, types.JSONRPCNotification) and _match_top_level_id(text, _ID_KEY):
        # The SDK takes a request with an invalid id for a notification, and its sender would wait forever.
        return _reject_line(text, types.INVALID_REQUEST, "the id of a request is a string or a whole number")
    if isinstance(message, types.JSONRPCRequest) and (wrong := _find_wrong_param(message)):
        return _reject_line(text, types.INVALID_PARAMS, wrong, _PARAMS_HELP)
    return None


def _find_wrong_param(message: types.JSONRPCRequest) -> str:
    """Return what is wrong with the form of a call's params; empty if nothing is."""
    if message.method not in _NAMED_METHODS:
        return ""
    params = message.params or {}
    if not isinstance(params.get("name"), str):
        return f'the params of {message.method} have no "name" that is a text'
    given = params.get("arguments")
    if given is None or isinstance(given, dict):
        return ""
    return f'the "arguments" of {message.method} are {_JSON_NAMES.get(type(given), "a number")}, not an object'


def extract_id(text: str) -> int | str | None:
    """Return the top-level `id` of a JSON object, found without recursion, even if the rest is invalid."""
    found = _match_top_level_id(text, _ID)
    if found is None:
        return None
    number, quoted = found.groups()
    if number is not None:
        return int(number)
    with contextlib.suppress(ValueError):
        value: str = json.loads(quoted, strict=False)
        # Half of a character can be written in JSON, but in no response.
        value.encode()
        return value
    return None


def _match_top_level_id(text: str, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Find the key `id` at the top level whose value matches the pattern."""
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
        elif depth == 1 and mark == '"id"' and (value := pattern.match(text, token.end())):
            return value
    return None


def _reject_line(text: str, code: int, message: str, remedy: str = _LINE_HELP) -> RejectedLine:
    fault = Fault(Code.INVALID_INPUT, message, help=remedy)
    data: dict[str, Any] = {"status": "error", "error": fault.to_json()}
    error = types.ErrorData(code=code, message=message, data=data)
    return RejectedLine(types.JSONRPCError(jsonrpc="2.0", id=extract_id(text), error=error))
