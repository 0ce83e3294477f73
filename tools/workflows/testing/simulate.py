"""workflow.simulate: workflows walked along every branch, with values made from their schemas; no stubs to write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.tools.core.compact import Lean
from aurora.tools.core.declaration import Example, Strict, Tool
from aurora.tools.files.containment import inside
from aurora.tools.workflows.files import targets

from .coverage import Covered, covered

if TYPE_CHECKING:
    from aurora.interpreter import Definition, Step
    from aurora.interpreter.simulation import Path as Walk
    from aurora.interpreter.simulation import Simulation, Suspect
    from aurora.interpreter.simulation.cases.play import Played
    from aurora.tools.core.context import Context

_ROOM = 12_000
"""Characters of JSON for the paths of one workflow; the others are counted."""


class SimulateInput(Strict):
    """What to walk, and how far."""

    files: tuple[str, ...] = Field(
        default=(),
        max_length=200,
        description="Workflows by name, or files; without any, all that would be used.",
    )
    all_paths: bool = Field(
        default=False, description="Walk every path, and not only as many as it takes to take each rule."
    )
    answers: str | None = Field(
        default=None,
        min_length=1,
        max_length=4096,
        description="A file with inputs, answers and tool results of one walk; what it leaves open is made.",
    )
    max_paths: int = Field(default=1000, ge=1, le=10_000, description="Stop after so many paths.")
    max_steps: int = Field(default=500, ge=1, le=5_000, description="Cut a path after so many calls.")


class WalkedStep(Lean):
    """One call of a path; the rule counts from 1 and is absent where `on_error` led on."""

    phase: str
    rule: int | None = None
    spent: bool = Field(default=False, description="The rule's `max` was used up, so its `else` was taken.")
    failed: bool = Field(default=False, description="The tool was made to fail.")


class Walked(Lean):
    """One path."""

    status: Literal["ended", "stuck", "cut"] = Field(
        description="ended; stuck: a call was refused; cut: it had more calls than max_steps."
    )
    calls: int
    steps: tuple[WalkedStep, ...]
    reason: str = ""


class Suspected(Lean):
    """What no walk could take, and why."""

    kind: Literal["phase", "rule", "else"]
    phase: str
    rule: int | None = None
    place: str = Field(description="Where it stands: path:line:column.")
    reason: str
    bounded: bool = Field(default=False, description="The search was cut short, and that alone may be why.")


class Simulated(Lean):
    """One workflow."""

    workflow: str
    ok: bool = Field(description="Every phase and rule was taken, and every path ended; of a script: it ended.")
    scripted: bool = Field(default=False, description="It is the one walk of a file of answers.")
    paths_walked: int
    paths: tuple[Walked, ...]
    unended: int = Field(description="Paths that did not come to an end.")
    longest: Walked | None = None
    coverage: Covered
    suspects: tuple[Suspected, ...]
    whole: bool = Field(description="Nothing was left out for want of calls or paths.")


class SimulateOutput(Strict):
    """All of them."""

    workflows: tuple[Simulated, ...]
    ok: bool


def run_simulation(given: SimulateInput, context: Context) -> SimulateOutput:
    """Walk the workflows.

    Raises:
        Fault: NOT_FOUND for what does not exist, INVALID_INPUT for a workflow with errors, FORBIDDEN for a file
            outside the project.
    """
    from aurora.interpreter.simulation import Bounds, simulate  # noqa: PLC0415 - a server's start does not need it

    wanted = targets(given.files, context)
    if given.answers is not None:
        return _scripted(wanted, given.answers, given.max_steps, context)
    bounds = Bounds(paths=given.max_paths, steps=given.max_steps)
    shown: list[Simulated] = []
    for number, (called, asked) in enumerate(wanted):
        context.progress(number, len(wanted), called)
        definition = definition_of(asked, context)
        found = simulate(definition, context.project.tools, every=given.all_paths, bounds=bounds)
        shown.append(_simulated(definition, found))
    return SimulateOutput(workflows=tuple(shown), ok=all(one.ok for one in shown))


def _scripted(wanted: tuple[tuple[str, str], ...], answers: str, most: int, context: Context) -> SimulateOutput:
    """The one walk that a file of answers describes."""
    from aurora.interpreter.simulation import Coverage  # noqa: PLC0415 - as above
    from aurora.interpreter.simulation.cases.load import check_names, read_script  # noqa: PLC0415 - as above
    from aurora.interpreter.simulation.cases.play import play  # noqa: PLC0415 - as above

    if len(wanted) != 1:
        raise Fault(Code.INVALID_INPUT, f"answers are for one workflow, and {len(wanted)} are meant", help="name one")
    definition = definition_of(wanted[0][1], context)
    path = inside(context.root, answers)
    script = read_script(path)
    check_names(path, definition.workflow, script)
    if script.runs_tools:
        message = "a simulation runs no tool, and the file of answers asks for a real one"
        raise Fault(Code.INVALID_INPUT, message, help="`aur workflow test` plays cases with real tools")
    played = play(definition, context.project.tools, script, most=most)
    coverage = Coverage(definition.workflow)
    for response in played.responses:
        coverage.note(response)
    walk = _played(played)
    shown = Simulated(
        workflow=definition.workflow.name,
        ok=played.status == "ended",
        scripted=True,
        paths_walked=1,
        paths=(walk,),
        unended=int(played.status != "ended"),
        longest=walk,
        coverage=covered(coverage),
        suspects=(),
        whole=True,
    )
    return SimulateOutput(workflows=(shown,), ok=shown.ok)


def _played(played: Played) -> Walked:
    """The walk of a script; refused calls are not steps of it."""
    from aurora.interpreter.simulation.cases.play import taken  # noqa: PLC0415 - as above

    steps = []
    for response in played.responses:
        if taken(response):
            last = (response["metadata"]["decision"] or [{}])[-1]
            rule = last.get("rule")
            failed = response["status"] == "error"
            number = rule if isinstance(rule, int) else None
            steps.append(WalkedStep(phase=response["phase"], rule=number, spent="spent" in last, failed=failed))
    status: Literal["ended", "stuck", "cut"] = "stuck" if played.status == "refused" else played.status
    return Walked(status=status, calls=len(played.responses), steps=tuple(steps), reason=played.reason)


def definition_of(asked: str, context: Context) -> Definition:
    """The workflow of this name or file, fit to run.

    Raises:
        Fault: NOT_FOUND, or INVALID_INPUT with its errors.
    """
    path = Path(asked)
    catalog = context.project.workflows
    return catalog.load_file(path) if path.is_absolute() else catalog.load(asked)


def _simulated(definition: Definition, found: Simulation) -> Simulated:
    walks = [_walked(path) for path in found.paths]
    ended = sorted(walks, key=lambda walk: -walk.calls)
    return Simulated(
        workflow=definition.workflow.name,
        ok=found.fine,
        paths_walked=len(walks),
        paths=tuple(_with_room(walks)),
        unended=sum(walk.status != "ended" for walk in walks),
        longest=ended[0] if ended else None,
        coverage=covered(found.coverage),
        suspects=tuple(_suspected(definition, one) for one in found.suspects),
        whole=found.whole,
    )


def _with_room(walks: list[Walked]) -> list[Walked]:
    """The first that fit; those that did not end come before all others."""
    left = _ROOM
    shown: list[Walked] = []
    for walk in sorted(walks, key=lambda walk: walk.status == "ended"):
        left -= len(walk.model_dump_json())
        if left >= 0 or not shown:
            shown.append(walk)
    return shown


def _walked(path: Walk) -> Walked:
    steps = tuple(_step(step) for step in path.steps)
    return Walked(status=path.status, calls=len(steps), steps=steps, reason=path.reason)


def _step(step: Step) -> WalkedStep:
    edge = step.edge
    rule = None if edge is None or edge.rule is None else edge.rule + 1
    return WalkedStep(phase=step.phase, rule=rule, spent=bool(edge and edge.spent), failed=step.status == "error")


def _suspected(definition: Definition, one: Suspect) -> Suspected:
    return Suspected(
        kind=one.kind,
        phase=one.phase,
        rule=one.rule,
        place=place_of(definition, one.phase, one.rule),
        reason=one.reason,
        bounded=one.bound,
    )


def place_of(definition: Definition, phase: str, rule: int | None) -> str:
    """`path:line:column` of a phase's name, or of one of its rules, which count from 1."""
    from aurora.interpreter.language.build import find, find_key  # noqa: PLC0415 - as above

    if rule is None:
        return find_key(definition.root, ("phases", phase)).place.at
    rules = find(definition.root, ("phases", phase, "next_action"))
    return find(rules, (rule - 1,)).place.at if rules.kind == "list" else rules.place.at


TOOL = Tool(
    name="workflow.simulate",
    title="Walk workflows without a host",
    description=(
        "Walks a workflow along every branch, with results, answers and inputs made from its schemas, so that each "
        "rule is taken. Tells what could not be taken, and what did not come to an end. No tool is run."
    ),
    input=SimulateInput,
    output=SimulateOutput,
    run=run_simulation,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=600.0,
    examples=(Example("The shipped workflow that answers questions", {"files": ["soar"]}),),
    mcp="aurora_workflow_simulate",
    command=("workflow", "simulate"),
)
