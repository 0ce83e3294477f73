"""Changes of runs as server-sent events, after which the page fetches itself again."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from aurora.errors import Fault

from .request import get_visitor
from .response import render_fault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from aurora.memory import RunRow
    from aurora.memory.records import Journal

    from .request import ProjectSource, Visitor


_INTERVAL = 0.2
"""Seconds between two looks at the journal: a change is on the page within half a second."""
_LONGEST = 900.0
"""Seconds of one stream; the browser opens the next one."""
_SILENCE = 15.0
"""Seconds without an event after which a comment shows whether the browser is still there."""
_MAX_STREAMS = 64
_MAX_STREAMS_OF_ONE = 8
"""Streams of one person: a browser opens six connections to a host, and nobody may take all of them."""


def build_live(source: ProjectSource) -> Callable[[Request], Awaitable[Response]]:
    """Build the endpoint of the events of a project, or of one of its runs."""
    streams = _Streams()

    async def endpoint(request: Request) -> Response:
        name, run = request.path_params["project"], request.query_params.get("run", "")[:80]
        try:
            visitor = get_visitor(request.scope)
            stamp = await run_in_threadpool(_read_stamp, source, name, visitor, run)
            streams.require_room(visitor)
        except Fault as fault:
            return render_fault(request, fault)
        # From the state that the page shows: a step between the page and its stream would else wait for the next one.
        look = _Look(source, name, visitor, run, request.query_params.get("since", stamp))
        # A proxy would collect the events until its buffer is full.
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(streams.follow(look), media_type="text/event-stream", headers=headers)

    return endpoint


class _Look:
    """Look at the journal for one page."""

    def __init__(self, source: ProjectSource, name: str, visitor: Visitor, run: str, stamp: str) -> None:
        self._source = source
        self._name = name
        self._visitor = visitor
        self._run = run
        self.stamp = stamp

    @property
    def person(self) -> str:
        """Name of the person; the local page has one without a name."""
        return self._visitor.name

    async def find_change(self) -> bool:
        """Return True when something has changed since the last look."""
        # The database is read in a thread, since one waiting look would hold every other stream and page.
        found = await run_in_threadpool(_read_stamp, self._source, self._name, self._visitor, self._run)
        changed, self.stamp = found != self.stamp, found
        return changed


class _Streams:
    """Open streams, of which there is a limited number."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def require_room(self, visitor: Visitor) -> None:
        """Raise a fault when too many pages are open, of all or of one person."""
        if self._open.total() >= _MAX_STREAMS or self._open[visitor.name] >= _MAX_STREAMS_OF_ONE:
            from aurora.errors import Code  # noqa: PLC0415 - only here

            raise Fault(Code.RATE_LIMITED, "too many pages are open", help="Close some of them.")

    async def follow(self, look: _Look) -> AsyncIterator[str]:
        """Yield an event for each change, until the browser leaves or the stream is old."""
        self._open[look.person] += 1
        try:
            clock = asyncio.get_running_loop().time
            end, spoken = clock() + _LONGEST, clock()
            yield f"retry: 1000\n{_format_event(look.stamp)}"
            while clock() < end:
                await asyncio.sleep(_INTERVAL)
                if await look.find_change():
                    spoken = clock()
                    yield _format_event(look.stamp)
                elif clock() - spoken > _SILENCE:
                    spoken = clock()
                    yield ": still here\n\n"
        except Fault as fault:
            yield f"event: gone\ndata: {json.dumps(fault.message)}\n\n"
        finally:
            self._open[look.person] -= 1
            self._open += Counter()  # without persons who have left


def _format_event(stamp: str) -> str:
    return f"data: {json.dumps(stamp)}\n\n"


def _read_stamp(source: ProjectSource, name: str, visitor: Visitor, run: str) -> str:
    """Read a text that changes whenever the run changes, or any run does."""
    with source.open_project(name, visitor) as project:
        journal = project.memory.journal
        if not run:
            return stamp_list(journal)
        row = journal.head(run)
        return "" if row is None else stamp_run(row)


def stamp_list(journal: Journal) -> str:
    """Return a text that changes whenever any run does."""
    return " ".join(map(str, journal.latest_change()))


def stamp_run(row: RunRow) -> str:
    """Return a text that changes whenever the run does."""
    return f"{row.steps} {row.updated_at}"
