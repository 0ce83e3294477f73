"""Adapters for the interpreter's ports.

They are the registry of tools, the memory's journal and the system's clock.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from aurora import interpreter
from aurora.faults import Code, Fault
from aurora.tools.core import ignore_progress

from .dispatch import call_tool, get_registry, validate_params

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import BaseModel

    from aurora.interpreter import Run, Step, ToolCall, ToolFacts
    from aurora.tools.core import Project


MAX_CACHED_PARAMS = 200
"""Size limit of the cache of validated params; each edit of a workflow leaves stale ones."""


MAX_PHASE_DEPTH = 5
"""Limit for phases whose tools run phases; a phase that runs itself would never end."""

_phase_depth: ContextVar[int] = ContextVar("aurora_phases", default=0)


@contextmanager
def _enter_phase(tool: str) -> Iterator[None]:
    depth = _phase_depth.get()
    if depth >= MAX_PHASE_DEPTH:
        raise Fault(
            Code.CONFLICT,
            f'"{tool}" runs in a phase that a phase started, {depth} levels deep',
            help="A phase may not run itself: use `next_action` for the next phase.",
        )
    token = _phase_depth.set(depth + 1)
    try:
        yield
    finally:
        _phase_depth.reset(token)


class PhaseToolRunner:
    """Registry of tools for phases; implements `interpreter.Toolbox`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._params_cache: dict[int, tuple[Mapping[str, Any], str, BaseModel]] = {}
        self._facts_cache: dict[str, ToolFacts] = {}  # building the schemas of a tool is slow

    def names(self) -> Sequence[str]:
        """Return the names of all tools."""
        return get_registry().names()

    def facts(self, name: str) -> ToolFacts | None:
        """Return the schemas of the tool with this name or alias, or None."""
        if name not in self._facts_cache:
            try:
                tool = get_registry().find(name)
            except Fault:
                return None
            self._facts_cache[name] = interpreter.ToolFacts(
                tool.name,
                tool.input.model_json_schema(),
                tool.params.model_json_schema(),
                tool.output.model_json_schema(mode="serialization"),
            )
        return self._facts_cache[name]

    def call(self, call: ToolCall) -> dict[str, Any]:
        """Call the tool; also raises CONFLICT for phases nested too deep."""
        # The params of a phase are the same at every call and may be long: validate them once.
        kept = self._params_cache.get(id(call.params))
        if kept is None or kept[0] is not call.params or kept[1] != call.name:
            if len(self._params_cache) >= MAX_CACHED_PARAMS:
                self._params_cache.clear()
            kept = (call.params, call.name, validate_params(get_registry().find(call.name), call.params))
            self._params_cache[id(call.params)] = kept

        with _enter_phase(call.name):
            return call_tool(
                self._project,
                call.name,
                call.arguments,
                params=kept[2],
                request_id=call.request_id or None,
                progress=call.progress or ignore_progress,
                surface="phase",
            )


class MemoryJournal:
    """Journal of runs in the project's database; implements `interpreter.Journal`."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def load(self, run: str) -> Run | None:
        """Return the run with all its steps, or None."""
        journal = self._project.memory.journal
        row = journal.head(run)
        if row is None:
            return None
        steps = tuple(interpreter.Step.from_json(step.document) for step in journal.steps(run))
        return interpreter.Run.from_head(row.document, steps)

    def begin(self, run: Run) -> None:
        """Store a new run with its steps."""
        steps = [(step.phase, step.to_json()) for step in run.steps]
        self._project.memory.journal.create(run.run, run.workflow, run.to_head(), steps)

    def append(self, run: Run, step: Step) -> None:
        """Add the step to the run."""
        after = run.with_step(step)
        self._project.memory.journal.append(run.run, step.seq, step.phase, step.to_json(), after.to_head())


class SystemClock:
    """Clock of the system; implements `interpreter.Clock`."""

    @staticmethod
    def now() -> float:
        """Return the seconds since 1970."""
        return time.time()

    @staticmethod
    def elapsed() -> float:
        """Return the seconds of a monotonic clock."""
        return time.perf_counter()
