"""What the interpreter asks for, answered with the toolbox, the memory's journal and the system's clock."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.interpreter import Run, Step, ToolCall, ToolFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import BaseModel

    from aurora.tools.core import Project


MAX_CACHED_PARAMS = 200
"""Checked settings that are kept; each edit of a workflow leaves some behind."""


MAX_PHASE_DEPTH = 5
"""Phases whose tools run phases, one inside the other; a phase that runs itself would go on for ever."""

_phase_depth: ContextVar[int] = ContextVar("aurora_phases", default=0)


@contextmanager
def _enter_phase(tool: str) -> Iterator[None]:
    depth = _phase_depth.get()
    if depth >= MAX_PHASE_DEPTH:
        raise Fault(
            Code.CONFLICT,
            f'"{tool}" runs in a phase that was run by a phase, {depth} deep',
            help="Does a phase run itself? Let `next_action` lead on instead.",
        )
    token = _phase_depth.set(depth + 1)
    try:
        yield
    finally:
        _phase_depth.reset(token)


class PhaseToolRunner:
    """The toolbox as phases see it; implements `interpreter.Toolbox`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._params_cache: dict[int, tuple[Mapping[str, Any], str, BaseModel]] = {}
        self._facts_cache: dict[
            str, ToolFacts
        ] = {}  # a tool never changes while the process lives, and its schemas cost

    def names(self) -> Sequence[str]:
        """The names of all tools."""
        from .dispatch import get_registry  # noqa: PLC0415 - describing a workflow needs no tools

        return get_registry().names()

    def facts(self, name: str) -> ToolFacts | None:
        """The schemas of the tool of this name or alias; None when there is none."""
        from .dispatch import get_registry  # noqa: PLC0415 - as above

        if name not in self._facts_cache:
            try:
                tool = get_registry().find(name)
            except Fault:
                return None
            self._facts_cache[name] = ToolFacts(
                tool.name,
                tool.input.model_json_schema(),
                tool.params.model_json_schema(),
                tool.output.model_json_schema(mode="serialization"),
            )
        return self._facts_cache[name]

    def call(self, call: ToolCall) -> dict[str, Any]:
        """Run the tool through the one dispatcher; raises what it raises, and CONFLICT for phases that never end."""
        from aurora.tools.core import ignore_progress  # noqa: PLC0415 - as above

        from .dispatch import call_tool, get_registry, validate_params  # noqa: PLC0415 - as above

        # The settings of a phase are the same at every call and may be a thousand words long: they are checked once.
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
    """Runs in the project's database; implements `interpreter.Journal`."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def load(self, run: str) -> Run | None:
        """The run with all its steps, or None."""
        journal = self._project.memory.journal
        row = journal.head(run)
        if row is None:
            return None
        steps = tuple(Step.from_json(step.document) for step in journal.steps(run))
        return Run.from_head(row.document, steps)

    def begin(self, run: Run) -> None:
        """Keep a new run with the steps it has."""
        steps = [(step.phase, step.to_json()) for step in run.steps]
        self._project.memory.journal.create(run.run, run.workflow, run.to_head(), steps)

    def append(self, run: Run, step: Step) -> None:
        """Add the step to the run."""
        after = run.with_step(step)
        self._project.memory.journal.append(run.run, step.seq, step.phase, step.to_json(), after.to_head())


class SystemClock:
    """The machine's own time; implements `interpreter.Clock`."""

    @staticmethod
    def now() -> float:
        """Seconds since 1970."""
        return time.time()

    @staticmethod
    def elapsed() -> float:
        """Seconds on a clock that only goes forward."""
        return time.perf_counter()
