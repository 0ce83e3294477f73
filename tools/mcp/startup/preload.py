"""Warm-up: load what the first calls need, while the host reads the list of tools."""

from __future__ import annotations

import contextlib
from itertools import islice
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from aurora import interpreter, memory
from aurora.faults import Code, Fault
from aurora.tools import trust
from aurora.tools.core import DEFAULT_WORKFLOW, Context, ToolRegistry, validate_arguments
from aurora.tools.runtime import CALL_LIMITER, PhaseToolRunner, SystemClock, find_tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.interpreter import ToolCall
    from aurora.tools.core import Project

_QUESTION = "How does the server start?"
_MOST_WORKFLOWS = 20
"""Workflows that are loaded ahead; in a folder of thousands, the rest are loaded by the calls that use them."""


_QUIET_SECONDS = 0.1
"""Seconds after a call in which a host with a quick model may send the next one, and nothing is loaded beside it."""
_MOST_SECONDS = 1.0
"""Seconds that each part of the preparation waits at most for calls to end."""


_prepared: WeakSet[Project] = WeakSet()
"""Projects whose first calls are prepared."""


def wait_until_quiet() -> bool:
    """Wait for calls to end before more is loaded, at most a second; return True."""
    CALL_LIMITER.wait_until_quiet(_QUIET_SECONDS, _MOST_SECONDS)
    return True


def load_workflows(project: Project) -> None:
    """Load some workflows, between the calls."""
    with contextlib.suppress(Exception):
        for name in islice(project.workflows.list_names(), _MOST_WORKFLOWS):
            wait_until_quiet()
            _load_workflow(project, name)


def prepare_calls(project: Project, pause: Callable[[], bool] = wait_until_quiet) -> None:
    """Load what the first calls need, once; an error here occurs there again and is reported then.

    The first phase of the default workflow comes first, then a search; both run once, without a record, a log line or a
    write, because most of what they need is loaded on use.

    Args:
        project: the open project.
        pause: is called before each part, and waits for calls that run; False ends the preparation.
    """
    if project in _prepared:
        return
    for prepare in _PREPARATIONS if memory.has_memory(project.root) else _PREPARATIONS_WITHOUT_MEMORY:
        if not pause():
            return
        with contextlib.suppress(Exception):
            prepare(project)
    _prepared.add(project)


def _load_default_workflow(project: Project) -> None:
    _load_workflow(project, DEFAULT_WORKFLOW)


def _rehearse_step(project: Project) -> None:
    """Run the first phase of the shipped default workflow."""
    found = project.workflows.load(DEFAULT_WORKFLOW)
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
    from aurora.tools.memory import read_index_state  # noqa: PLC0415 - a first step does not need it

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
