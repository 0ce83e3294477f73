"""`workflow.simulate`: runs along every branch with generated values, and what they covered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.interpreter.lab.cases import read_script, resolve_script_names
from aurora.interpreter.lab.coverage import Coverage
from aurora.interpreter.lab.script import is_taken, play_script
from aurora.interpreter.lab.simulate import DEFAULT_STEPS, Bounds, simulate_workflow
from aurora.interpreter.language.build import find_key, find_node
from aurora.system.paths.resolve import resolve_inside
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool

from .files import resolve_targets

if TYPE_CHECKING:
    from aurora.interpreter import Definition, Step
    from aurora.interpreter.lab.script import ScriptResult
    from aurora.interpreter.lab.simulate import Path as Walk
    from aurora.interpreter.lab.simulate import Simulation
    from aurora.tools.core import Context

_MAX_PATH_CHARS = 12_000
"""Characters of JSON for the paths of a workflow; further paths are only counted."""


class SimulateInput(StrictModel):
    """Workflows to simulate, and bounds."""

    files: tuple[str, ...] = Field(
        default=(),
        max_length=200,
        description="Workflows by name, or files; by default all in use.",
    )
    all_paths: bool = Field(default=False, description="Show each path that was tried, not only enough for each rule.")
    answers: str | None = Field(
        default=None,
        min_length=1,
        max_length=4096,
        description="A file with inputs, answers and tool results of one run; missing values are generated.",
    )
    max_paths: int = Field(default=1000, ge=1, le=10_000, description="Stop after so many paths.")
    max_steps: int | None = Field(
        default=None,
        ge=1,
        le=5_000,
        description="Stop a path after so many calls; by default 500, or twice as many as there are phases.",
    )


class WalkedStep(CompactModel):
    """Call of a path; the rule counts from 1 and is absent after `on_error`."""

    phase: str
    rule: int | None = None
    spent: bool = Field(default=False, description="The rule's `max` was used up, so its `else` was taken.")
    failed: bool = Field(default=False, description="The tool was made to fail.")
    skipped: bool = Field(default=False, description="The phase's own `when` was false.")
    declined: bool = Field(default=False, description="The person declined.")


class WalkedPath(CompactModel):
    """Simulated path."""

    status: Literal["ended", "stuck", "cut"] = Field(
        description="ended; stuck: a call was rejected, or the output does not fit; cut: too many calls for max_steps."
    )
    calls: int
    steps: tuple[WalkedStep, ...]
    reason: str = ""


class UntakenPart(CompactModel):
    """Part that no path took, with the reason."""

    kind: Literal["phase", "rule", "else"]
    phase: str
    rule: int | None = None
    place: str = Field(description="Its place: path:line:column.")
    reason: str
    proved: bool = Field(default=False, description="No run can take it; else no simulated run did.")


class SimulatedInner(CompactModel):
    """Workflow that runs as a phase; its own steps are not part of the paths."""

    phase: str
    workflow: str
    outputs: int = Field(
        description="Different outputs that simulated runs of it ended with, and that the phase has in the paths; 0: "
        "none was found, and the output is made from its schema."
    )


class CoverageShare(StrictModel):
    """Taken parts of a number of parts."""

    taken: int
    of: int


class RuleCoverage(CompactModel):
    """Counts of a rule taken, false, and past its `max`; rules count from 1."""

    phase: str
    rule: int
    then: str
    when: str | None = None
    true: int = 0
    false: int | None = Field(default=None, description="Absent for a rule without `when`, which is never false.")
    otherwise: int | None = Field(default=None, description="Times that its `max` was used up; absent without `max`.")


class CoverageReport(StrictModel):
    """Coverage of a workflow; a part with a count of 0 was never taken."""

    phases: CoverageShare
    rules_true: CoverageShare
    rules_false: CoverageShare
    bounds: CoverageShare = Field(description="Rules with a `max` that was used up.")
    error_routes: CoverageShare
    skips: CoverageShare = Field(description="Phases with a `when` that were skipped.")
    untaken_phases: tuple[str, ...]
    rules: tuple[RuleCoverage, ...]


class SimulatedWorkflow(CompactModel):
    """Simulated workflow."""

    workflow: str
    ok: bool = Field(description="No path is stuck, and no part is proved to be out of reach; of a script: it ended.")
    covered: bool = Field(default=False, description="Every phase and rule was taken, and every path ended.")
    scripted: bool = Field(default=False, description="True for the single run of a file of answers.")
    paths_walked: int
    paths: tuple[WalkedPath, ...]
    unended: int = Field(description="Paths without an end.")
    longest: WalkedPath | None = None
    coverage: CoverageReport
    suspects: tuple[UntakenPart, ...] = Field(description="Parts that no run took, though no bound was reached.")
    made_up: tuple[str, ...] = Field(
        default=(),
        description="Inputs, as `phase.input`, whose `from` gave nothing on some path, so that a value was made up.",
    )
    left_out: int = Field(default=0, description="Further parts that no run took before a bound was reached.")
    calls: int = Field(default=0, description="The number of simulated calls.")
    inner: tuple[SimulatedInner, ...] = Field(default=(), description="Workflows that run as phases.")
    whole: bool = Field(
        description="True when no bound left anything out; values that were not tried may lead to further paths."
    )


class SimulateOutput(StrictModel):
    """Simulated workflows."""

    workflows: tuple[SimulatedWorkflow, ...]
    ok: bool


def run_simulation(given: SimulateInput, context: Context) -> SimulateOutput:
    """Simulate workflows.

    Raises:
        Fault: NOT_FOUND for what does not exist, INVALID_INPUT for a workflow with errors, FORBIDDEN for a file
            outside the project.
    """
    wanted = resolve_targets(given.files, context)
    if given.answers is not None:
        return _simulate_script(wanted, given.answers, given.max_steps or DEFAULT_STEPS, context)
    bounds = Bounds(paths=given.max_paths, steps=given.max_steps)
    shown: list[SimulatedWorkflow] = []
    for number, (label, target) in enumerate(wanted):
        context.progress(number, len(wanted), label)
        definition = load_definition(target, context)
        known = context.project.workflows.find_neighbours(definition.path)
        found = simulate_workflow(definition, context.project.tools, known, every=given.all_paths, bounds=bounds)
        shown.append(_to_simulated(definition, found))
    return SimulateOutput(workflows=tuple(shown), ok=all(one.ok for one in shown))


def _simulate_script(wanted: tuple[tuple[str, str], ...], answers: str, most: int, context: Context) -> SimulateOutput:
    """Simulate the run that a file of answers describes."""
    if len(wanted) != 1:
        message = f"answers are for one workflow, not for {len(wanted)}"
        raise Fault(Code.INVALID_INPUT, message, help="name one workflow")
    definition = load_definition(wanted[0][1], context)
    path = resolve_inside(context.root, answers)
    script = read_script(path)
    known = context.project.workflows.find_neighbours(definition.path)
    script = resolve_script_names(path, definition, script, known)
    if script.runs_tools:
        message = "a simulation runs no tool, and the file of answers asks for a real one"
        raise Fault(Code.INVALID_INPUT, message, help="run `aur workflow test` for cases with real tools")
    played = play_script(definition, context.project.tools, script, known, most=most)
    coverage = Coverage(definition.workflow)
    coverage.record_steps(played.steps)
    walk = _to_scripted_path(played)
    shown = SimulatedWorkflow(
        workflow=definition.workflow.name,
        ok=played.status == "ended",
        scripted=True,
        paths_walked=1,
        paths=(walk,),
        unended=int(played.status != "ended"),
        longest=walk,
        coverage=to_coverage_report(coverage),
        suspects=(),
        whole=True,
    )
    return SimulateOutput(workflows=(shown,), ok=shown.ok)


def _to_scripted_path(played: ScriptResult) -> WalkedPath:
    """Convert the run of a script to a path, without rejected calls."""
    steps = []
    for response in played.responses:
        if is_taken(response):
            last = (response["metadata"]["decision"] or [{}])[-1]
            rule = last.get("rule")
            failed = response["status"] == "error"
            number = rule if isinstance(rule, int) else None
            steps.append(WalkedStep(phase=response["phase"], rule=number, spent="spent" in last, failed=failed))
    status: Literal["ended", "stuck", "cut"] = "stuck" if played.status == "refused" else played.status
    return WalkedPath(status=status, calls=len(played.responses), steps=tuple(steps), reason=played.reason)


def load_definition(target: str, context: Context) -> Definition:
    """Load a workflow without errors, by name or file.

    Raises:
        Fault: NOT_FOUND, or INVALID_INPUT with its errors.
    """
    path = Path(target)
    catalog = context.project.workflows
    return catalog.load_file(path) if path.is_absolute() else catalog.load(target)


def _to_simulated(definition: Definition, found: Simulation) -> SimulatedWorkflow:
    walks = [_to_walked_path(path) for path in found.paths]
    ended = sorted(walks, key=lambda walk: -walk.calls)
    suspects = [one for one in found.unreached if one.is_proved or not one.bound]
    return SimulatedWorkflow(
        workflow=definition.workflow.name,
        ok=not found.has_failure,
        covered=found.is_successful,
        paths_walked=len(walks),
        paths=tuple(_fit_response(walks)),
        unended=sum(walk.status != "ended" for walk in walks),
        longest=ended[0] if ended else None,
        coverage=to_coverage_report(found.coverage),
        suspects=tuple(
            UntakenPart.from_value(one, place=find_place(definition, one.phase, one.rule), proved=one.is_proved)
            for one in suspects
        ),
        made_up=tuple(f"{phase}.{name}" for phase, name in sorted(found.coverage.made_up)),
        left_out=len(found.unreached) - len(suspects),
        calls=found.calls,
        inner=tuple(map(SimulatedInner.from_value, found.inner)),
        whole=found.is_complete,
    )


def _fit_response(walks: list[WalkedPath]) -> list[WalkedPath]:
    """Select the first paths that fit, those without an end first."""
    left = _MAX_PATH_CHARS
    shown: list[WalkedPath] = []
    for walk in sorted(walks, key=lambda walk: walk.status == "ended"):
        left -= len(walk.model_dump_json())
        if left >= 0 or not shown:
            shown.append(walk)
    return shown


def _to_walked_path(path: Walk) -> WalkedPath:
    steps = tuple(_to_walked_step(step) for step in path.steps)
    return WalkedPath(status=path.status, calls=len(steps), steps=steps, reason=path.reason)


def _to_walked_step(step: Step) -> WalkedStep:
    edge = step.edge
    rule = None if edge is None or edge.rule is None else edge.rule + 1
    return WalkedStep(
        phase=step.phase,
        rule=rule,
        spent=bool(edge and edge.spent),
        failed=step.status == "error",
        skipped=step.status == "skipped",
        declined=step.status == "declined",
    )


def find_place(definition: Definition, phase: str, rule: int | None) -> str:
    """Find the `path:line:column` of a phase's name, or of one of its rules, which count from 1."""
    if rule is None:
        return find_key(definition.root, ("phases", phase)).place.label
    rules = find_node(definition.root, ("phases", phase, "next_action"))
    return find_node(rules, (rule - 1,)).place.label if rules.kind == "list" else rules.place.label


def to_coverage_report(coverage: Coverage) -> CoverageReport:
    """Convert the coverage to a row of an output."""
    flow, counts = coverage.workflow, coverage.counts

    def to_share(kind: str) -> CoverageShare:
        taken, of = coverage.count_taken(kind)
        return CoverageShare(taken=taken, of=of)

    return CoverageReport(
        phases=to_share("phase"),
        rules_true=to_share("true"),
        rules_false=to_share("false"),
        bounds=to_share("else"),
        error_routes=to_share("error"),
        skips=to_share("skipped"),
        untaken_phases=tuple(name for name in flow.phases if ("phase", name, 0) not in counts),
        rules=tuple(
            RuleCoverage(
                phase=name,
                rule=index + 1,
                then=rule.then,
                when=rule.when,
                true=counts["true", name, index],
                false=None if rule.when is None else counts["false", name, index],
                otherwise=None if rule.max is None else counts["else", name, index],
            )
            for name, phase in flow.phases.items()
            for index, rule in enumerate(phase.next_action)
        ),
    )


TOOL = Tool(
    name="workflow.simulate",
    title="Simulate workflows",
    description=(
        "Simulate a workflow along every branch, with results, answers and inputs made from its schemas, so that each "
        "rule is taken. Lists the parts that were not taken, and the paths without an end. Runs no tool."
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
    command=Command(
        "workflow simulate",
        "Simulate every branch of a workflow, without stubs.",
        arguments=("files",),
        files=("files", "answers"),
        locates_project=True,
    ),
)
