"""Recorder of a start: check the answers of the early session, and keep them for the next start."""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import mcp_types as types

from aurora.startup import DISCOVER, INITIALIZE, LISTS, TOOLS_LIST, Dialogue, strip_meta
from aurora.tools.mcp.threads import run_in_thread

from .dependencies import are_settled, collect_dependencies
from .store import delete_cache, save_answers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from aurora.startup import RequestName, ServerStart, StartCache
    from aurora.tools.core import Project

    SendRequest = Callable[[types.JSONRPCRequest], Awaitable[None]]

_ATTEMPTS = 5
_RETRY_SECONDS = 1.0
"""Seconds after which another attempt is made, when a file has just changed."""
_CALL_SECONDS = 5.0
"""Seconds that calls of the host may take before the lists are recorded next to them."""
_FINISH_SECONDS = 10.0
"""Seconds that the end of input waits for the first record, such as `printf … | aur mcp`."""
_QUIET_SECONDS = 0.1
"""Seconds that the first requests of the host have before its lists are checked."""
_RUNS_LIST = "resources/list"
"""Method that reads the database, and is logged: the host's own request is recorded."""
_NO_ANSWER = ""
_log = logging.getLogger("aurora.start")


class _Opening(NamedTuple):
    """First request of the host, which decides the era."""

    id: int | str
    name: RequestName
    params: dict[str, Any]


class _NotedRequest(NamedTuple):
    """Request of the host whose answer is kept as it goes out; `time` in nanoseconds since 1970."""

    id: int | str
    name: str
    time: int


class StartRecorder:
    """Recorder of one start.

    Args:
        project: the open project.
        start: the start of this process.
        announce: tells the host that the lists have changed.
    """

    def __init__(self, project: Project, start: ServerStart, announce: Callable[[], Awaitable[None]]) -> None:
        self._project = project
        self._start = start
        self._announce = announce
        self._dialogue = Dialogue()
        self._opening: _Opening | None = None
        self._has_requests = False
        self._runs: _NotedRequest | None = None
        self._given: dict[str, str] = {}
        self._replay_id: str | None = None
        self._prefix = f"aurora-{os.urandom(8).hex()}-"
        self._texts: dict[str, str] = {}
        self._own: dict[int | str, tuple[str, anyio.Event]] = {}
        self._listing: _NotedRequest | None = None
        self._begin = anyio.Event()
        self._attempted = anyio.Event()

    # ── the messages of the host ──

    async def take_over(self) -> bytes:
        """End the early session; return what it has read and not answered."""
        session = self._start.session
        if session is None:
            return b""
        state = await run_in_thread(session.take_over, "early")
        self._replay_id = state.replay_id
        for one in state.answered:
            self._given[one.name.name] = one.text
        return state.head

    def note_message(self, message: types.JSONRPCMessage) -> None:
        """Note a message of the host before the server receives it."""
        if not isinstance(message, types.JSONRPCRequest):
            return
        name = self._dialogue.name_request(message.method, message.params)
        if not self._has_requests and name is not None:
            self._opening = _Opening(message.id, name, message.params or {})
        self._has_requests = True
        if name is not None and message.method == TOOLS_LIST:
            self._listing = _NotedRequest(message.id, name.name, time.time_ns())
        if name is not None and message.method == _RUNS_LIST:
            self._runs = _NotedRequest(message.id, name.name, time.time_ns())

    def take_response(self, message: types.JSONRPCResponse | types.JSONRPCError) -> bool:
        """Note a response of the server.

        Returns:
            True if it must not go out, because the host did not ask for it.
        """
        if message.id is None:
            return False
        opening = self._opening
        if opening is not None and message.id == opening.id and opening.name.method == INITIALIZE:
            self._texts.setdefault(opening.name.name, _format_result(message))
        if self._runs is not None and message.id == self._runs.id:
            self._texts[self._runs.name] = _format_result(message)
        if message.id == self._replay_id:
            self._begin.set()
            return True
        if message.id in self._own:
            name, answered = self._own.pop(message.id)
            self._texts[name] = _format_result(message)
            answered.set()
            return True
        if self._listing is not None and message.id == self._listing.id:
            # The server's next list is ours: a change in between would reach us, and never the host.
            self._given[self._listing.name] = _format_result(message)
            self._begin.set()
        return False

    # ── the record ──

    async def run(
        self,
        send: SendRequest,
        wait_until_answered: Callable[[], Awaitable[None]],
    ) -> None:
        """Check and keep the answers once the host has what it asked for.

        Args:
            send: sends a request to the server, as if it came from the host.
            wait_until_answered: returns when the server has answered every request.
        """
        await self._begin.wait()
        if self._replay_id is not None:
            await anyio.sleep(_QUIET_SECONDS)
        for _ in range(_ATTEMPTS):
            with anyio.move_on_after(_CALL_SECONDS):
                await wait_until_answered()
            try:
                is_done = await self._record_once(send)
            except Exception:  # noqa: BLE001 - the server works without a cache
                _log.exception("the answers of this start are not kept")
                is_done = True
            self._attempted.set()
            if is_done:
                return
            await anyio.sleep(_RETRY_SECONDS)

    async def finish(self) -> None:
        """Wait for the first record, when the input has ended and there is no cache yet."""
        if self._listing is not None and self._replay_id is None:
            with anyio.move_on_after(_FINISH_SECONDS):
                await self._attempted.wait()

    async def _record_once(self, send: SendRequest) -> bool:
        """Record the answers; return False if another attempt may succeed."""
        opening = self._opening
        if opening is None:
            return True
        began = time.time_ns()
        before = await self._collect()
        try:
            names = [await self._ask(send, method, opening) for method in self._list_methods(opening)]
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return True  # the server ends
        await self._check_given()
        after = await self._collect()
        if before is None or after is None:
            return True
        if not before.is_part_of(after) or not are_settled(after.stamps, began):
            return False
        if not self._has_settled_runs(before, after, began):
            names = [name for name in names if not name.startswith(_RUNS_LIST)]
        elif self._runs is not None:
            names.append(self._runs.name)
        after.answers = {opening.name.scope: self._select_answers((opening.name.name, *names))}
        await run_in_thread(lambda: save_answers(self._start.key, after, opening.name.scope), "start")
        return True

    def _has_settled_runs(self, before: StartCache, after: StartCache, began: int) -> bool:
        """Return True if the database has not changed since the runs were listed."""
        listed = began if self._runs is None else self._runs.time
        return before.parts == after.parts and all(are_settled(stamps, listed) for stamps in after.parts.values())

    def _select_answers(self, names: Iterable[str]) -> dict[str, str]:
        found = {name: self._texts.get(name, _NO_ANSWER) for name in names}
        return {name: text for name, text in found.items() if text}

    async def _collect(self) -> StartCache | None:
        return await run_in_thread(lambda: collect_dependencies(self._project, self._start), "start")

    def _list_methods(self, opening: _Opening) -> list[str]:
        first = "ping" if opening.name.method == INITIALIZE else DISCOVER
        has_runs = any(name.startswith(f"{_RUNS_LIST} ") for name in self._given)
        return [first, *(method for method in LISTS if method != _RUNS_LIST or has_runs)]

    async def _ask(self, send: SendRequest, method: str, opening: _Opening) -> str:
        """Send a request of our own to the server and wait for its answer; return the request's name."""
        meta = strip_meta(opening.params.get("_meta", {})) if opening.name.method != INITIALIZE else None
        params = {} if meta is None else {"_meta": meta}
        name = self._dialogue.name_request(method, params)
        if name is None:  # a second handshake: nothing is kept
            return _NO_ANSWER
        identifier, answered = f"{self._prefix}{method}", anyio.Event()
        self._own[identifier] = (name.name, answered)
        await send(types.JSONRPCRequest(jsonrpc="2.0", id=identifier, method=method, params=params or None))
        await answered.wait()
        return name.name

    async def _check_given(self) -> None:
        """Compare the answers that the host has with those of the server now; correct what it was told."""
        wrong = [name for name, text in self._given.items() if text and self._texts.get(name, text) != text]
        if not wrong:
            return
        self._given.clear()
        used = self._start.cache
        if used is not None and used.is_current():
            _log.warning("the cache of the start was wrong, and is deleted: %s", ", ".join(sorted(wrong)))
        await run_in_thread(lambda: delete_cache(self._start.key), "start")
        await self._announce()


def _format_result(message: types.JSONRPCResponse | types.JSONRPCError) -> str:
    """Return the JSON of a result, as it goes out; empty for an error."""
    if isinstance(message, types.JSONRPCError):
        return _NO_ANSWER
    whole = types.JSONRPCResponse(jsonrpc="2.0", id=0, result=message.result)
    text = whole.model_dump_json(by_alias=True, exclude_unset=True)
    return text.removeprefix('{"jsonrpc":"2.0","id":0,"result":').removesuffix("}")
