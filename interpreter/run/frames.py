"""Frames: the workflows that run within one another in a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.errors import Code, Fault

from .step import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.interpreter.language.definition import Definition

    from .journal import Run
    from .step import Step

    LoadDefinition = Callable[[str], Definition]

MAX_DEPTH = 5
"""Limit of workflows within one another, the first one not counted."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A workflow of a run, with the steps that it has made.

    Attributes:
        definition: the workflow.
        run: the run as this workflow sees it: its own steps, by the names of its own phases.
        prefix: what precedes these names in the run's records: empty, or `phase/`.
        parent: the frame whose phase it is; None for the first workflow.
        entered: the step that began it; None for the first workflow.
        begun: the step that began its phase, which has the phase's inputs and items; None for the first workflow.
    """

    definition: Definition
    run: Run
    prefix: str = ""
    parent: Frame | None = None
    entered: Step | None = None
    begun: Step | None = None

    @property
    def depth(self) -> int:
        """The number of frames around it."""
        return self.prefix.count(SEPARATOR)

    @property
    def parent_phase(self) -> str:
        """The phase of the parent that runs this workflow."""
        return self.prefix[:-1].rpartition(SEPARATOR)[2]

    @property
    def expected_phase(self) -> str | None:
        """The phase that comes next; None at the end, and where an answer is due."""
        if self.run.last_step is None:
            flow = self.definition.workflow
            return flow.map_phase_names()[flow.start]
        return self.run.expected_phase


def find_frame(run: Run, definition: Definition, load: LoadDefinition) -> Frame:
    """Find the frame of the run's last step.

    Args:
        run: the whole run.
        definition: its workflow.
        load: returns a workflow by its name.
    """
    frame = Frame(definition, run)
    last = run.last_step
    if last is None:
        return frame
    path = last.phase.split(SEPARATOR)
    for name in path if last.kind == "enter" else path[:-1]:
        frame = _open_frame(frame, name, load)
    return frame


class FoundPhase(NamedTuple):
    """A phase of a workflow, or of one that its phases run: `decide/ask`.

    Attributes:
        path: its name from the first workflow on, without aliases.
        definition: the workflow that it belongs to.
        name: its name there.
    """

    path: str
    definition: Definition
    name: str


def find_phase(definition: Definition, path: str, load: LoadDefinition) -> FoundPhase | None:
    """Find the phase that a path such as `decide/ask` names; None if there is none.

    Args:
        definition: the first workflow.
        path: names or aliases of phases; each but the last one runs a workflow.
        load: returns a workflow by its name.
    """
    *outer, last = path.split(SEPARATOR)
    if len(outer) > MAX_DEPTH:
        return None
    prefix = ""
    for word in outer:
        name = definition.workflow.map_phase_names().get(word)
        inner = definition.workflow.phases[name].workflow if name is not None else None
        if inner is None:
            return None
        prefix, definition = f"{prefix}{name}{SEPARATOR}", load(inner)
    name = definition.workflow.map_phase_names().get(last)
    return FoundPhase(f"{prefix}{name}", definition, name) if name is not None else None


def iterate_phases(definition: Definition, load: LoadDefinition, prefix: str = "") -> Iterator[FoundPhase]:
    """Yield the phases of a workflow, each followed by those of the workflow that it runs."""
    for name, spec in definition.workflow.phases.items():
        yield FoundPhase(f"{prefix}{name}", definition, name)
        if spec.workflow is not None and prefix.count(SEPARATOR) < MAX_DEPTH:
            yield from iterate_phases(load(spec.workflow), load, f"{prefix}{name}{SEPARATOR}")


def collect_definitions(definition: Definition, load: LoadDefinition) -> dict[str, Definition]:
    """Collect the workflows that run as phases of a workflow, at any depth, by name.

    Args:
        definition: the workflow.
        load: returns a workflow by its name.

    Raises:
        Fault: as `load` does.
    """
    found: dict[str, Definition] = {}
    level = [definition]
    for _ in range(MAX_DEPTH):
        names = {name for one in level for name in one.workflow.inner_workflows} - found.keys()
        level = [load(name) for name in sorted(names)]
        found.update(zip(sorted(names), level, strict=True))
    return found


def collect_outputs(run: Run, frame: Frame) -> list[dict[str, Any]]:
    """Collect the outputs of a workflow that a phase has walked for each item, in order.

    Args:
        run: the whole run.
        frame: the walk of the last item.
    """
    items = frame.begun.items if frame.begun is not None else None
    if frame.definition.workflow.output is None:
        return [{} for _ in items or ()]
    outputs: list[dict[str, Any]] = []
    for step in reversed(run.steps):
        # An earlier visit of the phase walked a list of its own.
        if step.kind == "enter" and step.phase == frame.prefix[:-1] and step.index == 0:
            break
        path, _, name = step.phase.rpartition(SEPARATOR)
        if name and f"{path}{SEPARATOR}" == frame.prefix and step.output is not None:
            outputs.append(dict(step.output))
    return outputs[::-1]


def _open_frame(frame: Frame, phase: str, load: LoadDefinition) -> Frame:
    """Open the workflow of a phase that the run has entered."""
    spec = frame.definition.workflow.phases.get(phase)
    if spec is None or spec.workflow is None:
        raise Fault(
            Code.CONFLICT,
            f'phase "{phase}" of workflow "{frame.definition.workflow.name}" no longer runs a workflow',
            help="start a new run",
        )
    definition = load(spec.workflow)
    found = frame.run.find_inner(phase)
    if found is None:
        raise ValueError("a step within a phase follows the one that enters it")
    flow = definition.workflow
    run = replace(found.run, run=frame.run.run, workflow=flow.name, version=flow.version, digest=definition.digest)
    return Frame(definition, run, f"{frame.prefix}{phase}{SEPARATOR}", frame, found.entered, found.begun)
