"""Watcher of the workflows: notifies the host of changes, and prepares the first search."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged

from aurora.tools.hooks import HookListener

from .listing import list_mcp_tools
from .reindex import BackgroundIndexer
from .startup import load_workflows, prepare_calls
from .threads import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp.server.session import ServerSession

    from aurora.tools.core import Project, Tool

_POLL_SECONDS = 1.0
_LIST_SECONDS = 2.0
"""Seconds that a host waits for a new list of tools; past them it receives the last one, and then a notification."""
_ANSWER_DELAY = 0.05


class WorkflowWatcher:
    """Watcher that keeps the list of tools up to date and notifies hosts when it changes.

    Args:
        project: the open project.
        tools: the offered tools.
    """

    def __init__(self, project: Project, tools: Iterable[Tool[Any, Any]]) -> None:
        self.bus = InMemorySubscriptionBus()
        self._project = project
        self._tools = tuple(tools)
        self._stamp: Any = None
        self._listing: list[dict[str, Any]] | None = None
        self._sent: list[dict[str, Any]] | None = None
        self._session: ServerSession | None = None
        self._first_listing = anyio.Event()
        self._indexer = BackgroundIndexer(project)
        self._hooks = HookListener(project)

    async def list_tools(self, session: ServerSession | None) -> list[dict[str, Any]]:
        """Return the tools for `tools/list`, and remember the session to notify of changes, if there is one.

        The workflows are read in a thread: other requests are answered meanwhile. Only the first list is waited for.
        """
        self._session = session
        with anyio.move_on_after(_LIST_SECONDS if self._sent is not None else None):
            await run_in_thread(self._update_listing, "tools")
        self._sent = self._listing or self._sent or []
        self._first_listing.set()
        return self._sent

    def _update_listing(self) -> None:
        """Read the list again when a workflow has changed."""
        stamp = self._project.workflows.stamp_files()
        if self._listing is None or stamp != self._stamp:
            listing = list_mcp_tools(self._project, self._tools)
            # The stamp was taken before the files were read, so that a change in between is not missed.
            self._stamp, self._listing = stamp, listing

    async def run(self) -> None:
        """Prepare calls, then check the workflows once a second until the server ends."""
        with anyio.move_on_after(_POLL_SECONDS):
            await self._first_listing.wait()
            await anyio.sleep(_ANSWER_DELAY)  # let the response go out first
        threading.Thread(target=self._prepare, name="prepare", daemon=True).start()
        self._hooks.start()
        try:
            while True:
                with contextlib.suppress(OSError):  # a folder that cannot be read now may be readable in a second
                    await self._publish_changes()
                await anyio.sleep(_POLL_SECONDS)
        finally:
            self._indexer.stop()
            self._hooks.stop()

    def _prepare(self) -> None:
        """Load what the next calls need, and follow changes of the project; the calls of the host come first."""
        prepare_calls(self._project)
        self._indexer.start()
        load_workflows(self._project)

    async def _publish_changes(self) -> None:
        """Publish a change to both eras of the protocol: subscriptions, and the session of a handshake."""
        before = self._listing
        if before is None:
            return
        # The new list is ready before the host learns of it, and so is answered at once.
        await run_in_thread(self._update_listing, "tools")
        if self._listing is before and self._sent is before:
            return
        self._sent = self._listing  # a list that was not ready in time is announced once
        await self.announce_changes()

    async def announce_changes(self) -> None:
        """Tell the host to read the lists again."""
        await self.bus.publish(ToolsListChanged())
        await self.bus.publish(PromptsListChanged())
        if self._session is not None:
            await self._session.send_tool_list_changed()
            await self._session.send_prompt_list_changed()
