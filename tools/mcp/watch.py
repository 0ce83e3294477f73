"""What goes on beside the requests: workflows that change are told to the host, and the first search is made fast."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged

from aurora.faults import Fault

from .calls import run_in_thread
from .listing import list_mcp_tools
from .reindex import BackgroundIndexer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp.server.session import ServerSession

    from aurora.tools.core import Project, Tool

_POLL_SECONDS = 1.0
_ANSWER_DELAY = 0.05


class WorkflowWatcher:
    """Keeps the list of tools as the workflows are now, and tells hosts when it changes.

    Args:
        project: the open project.
        tools: what is shown.
    """

    def __init__(self, project: Project, tools: Iterable[Tool[Any, Any]]) -> None:
        self.bus = InMemorySubscriptionBus()
        self._project = project
        self._tools = tuple(tools)
        self._stamp: Any = None
        self._listing: list[dict[str, Any]] | None = None
        self._session: ServerSession | None = None
        self._first_listing = anyio.Event()
        self._indexer = BackgroundIndexer(project)

    def list_tools(self, session: ServerSession) -> list[dict[str, Any]]:
        """The tools for `tools/list`; `session` is who is told later that they have changed."""
        self._session = session
        stamp = self._project.workflows.stamp_files()
        if self._listing is None or stamp != self._stamp:
            # The stamp is taken before the files are read: a change in between is told, not missed.
            self._stamp, self._listing = stamp, list_mcp_tools(self._project, self._tools)
        self._first_listing.set()
        return self._listing

    async def run(self) -> None:
        """Look at the workflows once a second, for as long as the server lives; warm up first."""
        with anyio.move_on_after(_POLL_SECONDS):
            await self._first_listing.wait()
            await anyio.sleep(_ANSWER_DELAY)  # the answer goes out before anything competes with it
        threading.Thread(target=_warm_up, args=(self._project,), name="warm", daemon=True).start()
        self._indexer.start()
        try:
            while True:
                with contextlib.suppress(OSError):  # a folder that cannot be looked at now may be again in a second
                    await self._publish_changes()
                await anyio.sleep(_POLL_SECONDS)
        finally:
            self._indexer.stop()

    async def _publish_changes(self) -> None:
        """Tell both eras of a change: whoever listens through a subscription, and a host that shook hands."""
        stamp = await run_in_thread(self._project.workflows.stamp_files, "workflows")
        seen, self._stamp = self._stamp, stamp
        if seen is None or stamp == seen:
            return
        self._listing = None
        await self.bus.publish(ToolsListChanged())
        await self.bus.publish(PromptsListChanged())
        if self._session is not None:
            await self._session.send_tool_list_changed()
            await self._session.send_prompt_list_changed()


def _warm_up(project: Project) -> None:
    """Pay now for what the first call would wait for; whatever fails here will fail there, where it can be told."""
    with contextlib.suppress(Exception):
        # Each of these is slow to import, which is the reason to do it here.
        import jsonschema_rs  # noqa: F401, PLC0415 - see above
        import minijinja  # noqa: F401, PLC0415 - see above

        from aurora.memory import database_path  # noqa: PLC0415 - see above

        for name in project.workflows.list_names():
            with contextlib.suppress(Fault):  # a broken workflow is told to whoever asks for it
                project.workflows.load(name)

        if database_path(project.root).exists():  # a server that is only started leaves no trace in a project
            project.memory.warm_up()
