"""Work beside the calls: warm-up, news of changed workflows, and the index that follows the files."""

from __future__ import annotations

import contextlib
import logging
import threading
from itertools import islice
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged

from aurora import interpreter, memory
from aurora.errors import Code, Fault
from aurora.memory.indexing.watch import watch_project
from aurora.system.environment import read_flag
from aurora.system.git.repository import read_commit
from aurora.tools import trust
from aurora.tools.core import DEFAULT_WORKFLOW, Context, ToolRegistry, validate_arguments
from aurora.tools.hooks.listener import HookListener
from aurora.tools.runtime import CALL_LIMITER, PhaseToolRunner, SystemClock, find_tool

from .threads import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp.server.session import ServerSession

    from aurora.interpreter import ToolCall
    from aurora.memory import IndexReport
    from aurora.tools.core import Project

_POLL_SECONDS = 1.0
_INDEX_SECONDS = 5.0
"""Seconds between two checks whether the project has been indexed."""
_ANSWER_DELAY = 0.05
"""Seconds that the list of tools has to go out before anything else is loaded."""
_QUESTION = "How does the server start?"
_MOST_WORKFLOWS = 20
"""Workflows that are loaded ahead; in a folder of thousands, the rest are loaded by the calls that use them."""
_QUIET_SECONDS = 0.1
"""Seconds after a call in which a host with a quick model may send the next one, and nothing is loaded beside it."""
_MOST_SECONDS = 1.0
"""Seconds that each part of the warm-up waits at most for calls to end."""
_log = logging.getLogger("aurora.watch")


class WorkflowWatcher:
    """Watcher of a project while its server runs; it tells hosts when a workflow has changed.

    Only the prompts follow the workflows: the list of tools is a constant of the release.

    Args:
        project: the open project.
    """

    def __init__(self, project: Project) -> None:
        self.bus = InMemorySubscriptionBus()
        self._project = project
        self._session: ServerSession | None = None
        self._is_listed = anyio.Event()
        self._indexer = BackgroundIndexer(project)
        self._hooks = HookListener(project)

    def note_list(self, session: ServerSession | None) -> None:
        """Note that a host has its tools, and the session to notify, if there is one."""
        self._session = session
        self._is_listed.set()

    async def run(self) -> None:
        """Prepare calls, then check the workflows once a second until the server ends."""
        # Before the files are read: a change in between is then seen as one.
        stamp = await self._stamp_workflows(None)
        with anyio.move_on_after(_POLL_SECONDS):
            await self._is_listed.wait()
            await anyio.sleep(_ANSWER_DELAY)
        # A thread of its own, and only now: the first list of tools must not wait for imports.
        threading.Thread(target=self._prepare, name="prepare", daemon=True).start()
        self._hooks.start()
        try:
            while True:
                await anyio.sleep(_POLL_SECONDS)
                before, stamp = stamp, await self._stamp_workflows(stamp)
                if stamp != before:
                    await self._announce_change()
        finally:
            self._indexer.stop()
            self._hooks.stop()

    async def _stamp_workflows(self, before: Any) -> Any:
        """Return the stamp of the workflows; the one before while a folder cannot be read."""
        try:
            return await run_in_thread(self._project.workflows.stamp_files, "workflows")
        except OSError:
            return before

    async def _announce_change(self) -> None:
        """Announce changed prompts in both eras: to subscriptions, and to the session of a handshake."""
        await self.bus.publish(PromptsListChanged())
        if self._session is not None:
            await self._session.send_prompt_list_changed()

    def _prepare(self) -> None:
        """Load what the next calls need, and follow changes of the project; the calls of the host come first."""
        prepare_calls(self._project)
        self._indexer.start()
        load_workflows(self._project)


# ── the warm-up ──


def prepare_calls(project: Project) -> None:
    """Load what the first calls need; an error here occurs there again and is reported then.

    The first phase of the default workflow comes first, then a search; both run once, without a record, a log line or a
    write, because most of what they need is loaded on use. A project without a memory is left without a trace.
    """
    for prepare in _PREPARATIONS if memory.has_memory(project.root) else _PREPARATIONS_WITHOUT_MEMORY:
        _wait_until_quiet()
        with contextlib.suppress(Exception):
            prepare(project)


def load_workflows(project: Project) -> None:
    """Load some workflows, between the calls."""
    with contextlib.suppress(Exception):
        for name in islice(project.workflows.list_names(), _MOST_WORKFLOWS):
            _wait_until_quiet()
            _load_workflow(project, name)


def _wait_until_quiet() -> None:
    """Wait for calls to end before more is loaded, at most a second."""
    CALL_LIMITER.wait_until_quiet(_QUIET_SECONDS, _MOST_SECONDS)


def _load_default_workflow(project: Project) -> None:
    _load_workflow(project, DEFAULT_WORKFLOW)


def _rehearse_step(project: Project) -> None:
    """Run the first phase of the shipped default workflow."""
    found = project.workflows.load(DEFAULT_WORKFLOW)
    # A workflow of the project is run by nobody before it is called.
    if project.workflows.is_shipped(found.path):
        call = interpreter.Call(phase=found.workflow.start, workflow=DEFAULT_WORKFLOW, inputs={"query": _QUESTION})
        tools = _QuietTools(project)
        interpreter.Engine(project.workflows, tools, None, SystemClock(), default=DEFAULT_WORKFLOW).step(call)


def _read_records(project: Project) -> None:
    """Read what the record of a step needs."""
    project.memory.journal.runs(1, 0)
    project.memory.describe_origin()
    trust.build_notice(project)


def _load_index(project: Project) -> None:
    project.memory.warm_up()


def _rehearse_search(project: Project) -> None:
    from aurora.tools.memory.hits import read_index_state  # noqa: PLC0415 - a first step does not need it

    project.memory.search(_QUESTION, limit=1, root=project.root)
    read_index_state(Context(project, None, ""))


def _load_phase_tools(project: Project) -> None:
    """Load the engine and the tools of the default workflow."""
    registry = ToolRegistry()
    phases = project.workflows.load(DEFAULT_WORKFLOW).workflow.phases.values()
    for used in {phase.uses for phase in phases if phase.uses}:
        registry.find(used)
    _ = project.engine


_PREPARATIONS = (
    _load_default_workflow,
    _rehearse_step,
    _read_records,
    _load_index,
    _rehearse_search,
    _load_phase_tools,
)
_PREPARATIONS_WITHOUT_MEMORY = (_load_default_workflow, _load_phase_tools)
"""Those that leave no trace in a project where a server was only started."""


class _QuietTools(PhaseToolRunner):
    """Tools of phases that only read, without a log line."""

    def call(self, call: ToolCall) -> dict[str, Any]:
        """Run the tool.

        Raises:
            Fault: FORBIDDEN for a tool that writes, and the tool's own.
        """
        tool = find_tool(call.name, self._project.root)
        if tool.risk != "read":
            raise Fault(Code.FORBIDDEN, f'"{tool.name}" would write', help="Call it in a run.")
        params = validate_arguments(tool.params, call.params, tool.name)
        given = validate_arguments(tool.input, call.arguments, tool.name)
        output = tool.run(given, Context(self._project, params, "", surface="page"))
        dumped: dict[str, Any] = output.model_dump(mode="json", by_alias=True)
        return dumped


def _load_workflow(project: Project, name: str) -> None:
    with contextlib.suppress(Fault):  # a broken workflow is reported to the call that uses it
        project.workflows.load(name)


# ── the index ──


class BackgroundIndexer:
    """Indexer that watches the project in its own thread, until `stop`.

    It does nothing in read-only mode, with `AURORA_WATCH=0`, or before the project has been indexed once: a server that
    was only started leaves no trace.

    Args:
        project: the open project.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._stop = threading.Event()
        self._last_message = ""

    def start(self) -> None:
        """Start the thread, unless watching is off."""
        if self._project.read_only or read_flag("AURORA_WATCH") is False:
            return
        threading.Thread(target=self._follow_changes, name="watch", daemon=True).start()

    def stop(self) -> None:
        """Stop within a second, or after the batch that is being written."""
        self._stop.set()

    def _follow_changes(self) -> None:
        while not self._stop.is_set():
            try:
                if _has_index(self._project):
                    self._watch()
            except Exception as error:  # noqa: BLE001 - an error in the watcher must not end the server
                self._log_once(f"{type(error).__name__}: {error}")
            self._stop.wait(_INDEX_SECONDS)

    def _watch(self) -> None:
        """Index the changes until the server stops or an error ends it; then answers no longer rely on it."""
        try:
            watch_project(_IndexedMemory(self._project), self._project.root, self._stop, _ignore_update)
        finally:
            _set_unfollowed(self._project)

    def _log_once(self, text: str) -> None:
        """Log an error of the watcher once."""
        if text != self._last_message and not self._stop.is_set():
            self._last_message = text
            _log.warning("changes of the project are not indexed: %s", text)


class _IndexedMemory:
    """Memory of a project that is not created again when a person deletes it while it is watched."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._commit = ""

    def index(self, root: Path, *, paths: Sequence[Path] = ()) -> IndexReport:
        """Index the changes.

        Raises:
            Fault: NOT_FOUND when the memory is no longer there, and the faults of indexing.
        """
        if not _has_index(self._project):
            raise Fault(
                Code.NOT_FOUND, f'the memory of "{root}" was deleted', help="run `aur mem index` to create it again"
            )
        _set_unfollowed(self._project)
        # Before the tree is read: a switch of branches meanwhile makes the commit differ, and the tree is compared
        # again.
        if not paths:
            self._commit = read_commit(root)
        report = self._project.memory.index(root, paths=paths)
        self._project.memory.freshness.set_followed(self._commit)
        return report

    def has_path(self, place: str) -> bool:
        """Return True when the memory has this file, or one in this folder."""
        return self._project.memory.has_path(place)


def _has_index(project: Project) -> bool:
    """Return True when the project, or another worktree of its repository, has a memory that was indexed."""
    return memory.has_memory(project.root) and project.memory.wants_index()


def _set_unfollowed(project: Project) -> None:
    """Record that changes may be missing from the index; do nothing for a memory that cannot be opened."""
    with contextlib.suppress(Fault):
        project.memory.freshness.set_unfollowed()


def _ignore_update(update: object) -> None:
    """Ignore a report of the watcher."""
