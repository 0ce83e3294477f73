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
from aurora.tools.memory import read_index_state
from aurora.tools.runtime import PhaseToolRunner, SystemClock, find_tool

if TYPE_CHECKING:
    from aurora.interpreter import ToolCall
    from aurora.tools.core import Project

_QUESTION = "How does the server start?"
_MOST_WORKFLOWS = 20
"""Workflows that are loaded ahead; in a folder of thousands, the rest are loaded by the calls that use them."""


_prepared: WeakSet[Project] = WeakSet()
"""Projects whose first calls are prepared."""


def warm_up(project: Project) -> None:
    """Load what the first calls need, then the tools of later phases, and some other workflows."""
    prepare_calls(project)
    with contextlib.suppress(Exception):
        _load_workflow(project, DEFAULT_WORKFLOW, with_tools=True)
        for name in islice(project.workflows.list_names(), _MOST_WORKFLOWS):
            _load_workflow(project, name)


def prepare_calls(project: Project) -> None:
    """Load what the first calls need, once; an error here occurs there again and is reported then.

    The first phase of the default workflow comes first, then a search; both run once, without a record, a log line or a
    write, because most of what they need is loaded on use.
    """
    if project in _prepared:
        return
    _prepared.add(project)
    with contextlib.suppress(Exception):
        if memory.has_memory(project.root):  # a server that was only started leaves no trace in a project
            _rehearse_step(project)
            project.memory.warm_up()
            project.memory.search(_QUESTION, limit=1, root=project.root)
            read_index_state(Context(project, None, ""))
        else:
            _load_workflow(project, DEFAULT_WORKFLOW)


def _rehearse_step(project: Project) -> None:
    """Run the first phase of the shipped default workflow, and read what the record of a step needs."""
    found = project.workflows.load(DEFAULT_WORKFLOW)
    if not project.workflows.is_shipped(found.path):
        return
    engine = interpreter.Engine(project.workflows, _QuietTools(project), None, SystemClock(), default=DEFAULT_WORKFLOW)
    engine.step(interpreter.Call(phase=found.workflow.start, workflow=DEFAULT_WORKFLOW, inputs={"query": _QUESTION}))
    project.memory.journal.runs(1, 0)
    project.memory.describe_origin()
    trust.build_notice(project)


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


def _load_workflow(project: Project, name: str, *, with_tools: bool = False) -> None:
    """Load a workflow, and where asked the engine and the tools of its phases."""
    with contextlib.suppress(Fault):  # a broken workflow is reported to the call that uses it
        workflow = project.workflows.load(name).workflow
        if with_tools:
            registry = ToolRegistry()
            for used in {phase.uses for phase in workflow.phases.values() if phase.uses}:
                registry.find(used)
            _ = project.engine
