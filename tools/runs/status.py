"""Tool `runs.status`: where a run stands, what it waits for, and where its workflow may go."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.interpreter import drawing
from aurora.interpreter.lab.proof import measure_remaining
from aurora.interpreter.language.model import CONTINUE, END
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.workflows.suggest import rank_for_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter import Definition
    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Context, Project

LAST = "last"
"""No id: ids have eight characters."""


class StatusInput(StrictModel):
    """Run whose status is read."""

    run: str = Field(
        default=LAST, min_length=1, max_length=80, description="The run's id, as `runs list` shows it, or `last`."
    )


class PhasesRemaining(StrictModel):
    """Phases that the run can still visit without failures: a range, because rules decide between paths."""

    least: int = Field(description="Fewest visits of phases to an end.")
    most: int | None = Field(description="A bound of the visits, loops in full; null without a bound.")
    phases: tuple[str, ...] = Field(description="The phases on any of these paths, in the order of the file.")


class RoutingBasis(StrictModel):
    """Facts that the confidence rests on."""

    words: tuple[str, ...] = Field(description="Words of the question that the workflow's texts contain.")
    nearest: str = Field(description="The workflow's sentence nearest in meaning; empty when there is none.")
    compared: int = Field(description="Number of workflows among which the confidences are shared.")
    best: str = Field(description="The workflow that fits the question best.")


class StatusOutput(CompactModel):
    """Position of a run; `confidence`, 0 to 1, is how well its workflow fits its question."""

    run: str
    workflow: str
    status: str = Field(description="open, waiting, ended or failed.")
    question: str = ""
    phase: str | None = Field(default=None, description="The phase that is due, or whose answer is awaited.")
    phases_completed: tuple[str, ...]
    phases_remaining: PhasesRemaining | None = Field(default=None, description="Absent when its workflow is missing.")
    confidence: float | None = None
    basis: RoutingBasis | None = None
    note: str = ""


def show_status(given: StatusInput, context: Context) -> StatusOutput:
    """Show the status of a run.

    Raises:
        Fault: NOT_FOUND for an unknown run, or for `last` without any run.
    """
    row = find_run(context.project, given.run)
    steps = context.project.memory.journal.steps(row.run)
    completed = dict.fromkeys(step.phase for step in steps if step.document.get("status") in {"complete", "skipped"})
    due = _find_due_phase(row)
    awaited = due if row.document.get("next") == CONTINUE else None  # it ran, and its answer is missing
    definition, note = _find_definition(context, row)
    question = str(row.document.get("question", ""))
    basis, confidence = _rate_routing(context, row.workflow, question)
    return StatusOutput(
        run=row.run,
        workflow=row.workflow,
        status=str(row.document.get("status", "open")),
        question=question,
        phase=due,
        phases_completed=tuple(name for name in completed if name != awaited),
        phases_remaining=_measure_remaining(definition, due),
        confidence=confidence,
        basis=basis,
        note=note,
    )


def _find_due_phase(row: RunRow) -> str | None:
    """Find the phase that comes next, or the one whose answer is awaited; None at the end."""
    head = row.document
    if head.get("status") not in {"open", "waiting"}:
        return None
    following = head.get("next")
    # A phase of an inner workflow counts as the phase that runs it.
    return str(head.get("phase") if following == CONTINUE else following).partition("/")[0]


def _find_definition(context: Context, row: RunRow) -> tuple[Definition | None, str]:
    """Find the workflow of a run as it is now, with a note when it differs or is missing."""
    try:
        definition = context.project.workflows.load(str(row.document.get("workflow", row.workflow)))
    except Fault:
        return None, f'The workflow "{row.workflow}" cannot be used here, so what remains is not known.'
    if definition.digest != row.document.get("digest"):
        return definition, "The workflow was edited since this run began; the figures are those of the file as it is."
    return definition, ""


def _measure_remaining(definition: Definition | None, due: str | None) -> PhasesRemaining | None:
    """Measure what remains; a phase whose answer is awaited counts."""
    if due is None:
        return PhasesRemaining(least=0, most=0, phases=())
    name = None if definition is None else definition.workflow.map_phase_names().get(due)
    if definition is None or name is None:
        return None
    found = measure_remaining(definition, name)
    return PhasesRemaining(least=found.least, most=found.most, phases=found.names)


def _rate_routing(context: Context, workflow: str, question: str) -> tuple[RoutingBasis | None, float | None]:
    """Rate how well a workflow fits a question among all workflows of the project."""
    ranked = rank_for_task(context.project, question) if question else []
    own = next((one for one in ranked if one.name == workflow), None)
    if own is None:
        return None, None
    basis = RoutingBasis(words=own.words, nearest=own.nearest, compared=len(ranked), best=ranked[0].name)
    return basis, own.confidence


def resolve_run_id(project: Project, name: str) -> str:
    """Return the id of the newest run for `last`; any other name unchanged.

    Raises:
        Fault: NOT_FOUND for `last` without any run.
    """
    if name != LAST:
        return name
    newest = project.memory.journal.runs(1)
    if not newest:
        help_ = "Ask a question with aurora_query, or run `aur workflow run`."
        raise Fault(Code.NOT_FOUND, "there is no run yet", help=help_)
    return newest[0].run


def find_run(project: Project, name: str) -> RunRow:
    """Find a run by its id, or the newest one for `last`.

    Raises:
        Fault: NOT_FOUND for an unknown run, or for `last` without any run.
    """
    run = resolve_run_id(project, name)
    row = project.memory.journal.head(run)
    if row is None:
        help_ = "`aur runs list` shows the runs of this project."
        raise Fault(Code.NOT_FOUND, f'there is no run "{run}"', help=help_, details={"run": run})
    return row


STATUS_TOOL = Tool(
    name="runs.status",
    title="Show where a run is",
    description=(
        "The position of a run: its question, the phase that is due, the completed phases, the fewest and the most "
        "that remain, and the confidence that its workflow fits the question, with the facts that this figure rests on."
    ),
    input=StatusInput,
    output=StatusOutput,
    run=show_status,
    family="runs",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    aliases=(Alias("get_routing_status"), Alias("get_workflow_state")),
    constraints=("Runs of a read-only project are not stored.",),
    examples=(Example("A run, by the id in its responses", {"run": "k3f9wq2m"}),),
    mcp="aurora_runs_status",
    command=Command("runs status", "Show where a run is, and what remains.", arguments=("run",)),
)


class Wait(CompactModel):
    """Wait of a run's last step for an answer, and where each answer leads."""

    person: bool = Field(default=False, description="For the person; otherwise for the assistant.")
    then: str = Field(default="", description="The next phase, or `end`; absent where the answer decides.")
    declined: str = Field(default="", description="The next phase if the person declines.")


def find_wait(project: Project, workflow: str, last: Mapping[str, Any]) -> Wait | None:
    """Find what the last step of a run waits for; None when it has led on already.

    A step that asks may have decided before the answer came, so its edge alone does not mean that the run took it.

    Args:
        project: the open project.
        workflow: the workflow of the run.
        last: the record of the step.
    """
    if not last.get("holds"):
        return None
    edge: Mapping[str, Any] = last.get("edge") or {}
    is_gate = last.get("status") == "waiting"
    declined = _find_decline_target(project, workflow, str(last.get("phase"))) if is_gate else ""
    return Wait(person=is_gate, then=str(edge.get("token", "")), declined=declined)


def _find_decline_target(project: Project, workflow: str, phase: str) -> str:
    """Find where a decline leads, in the workflow as it is now; empty when that cannot be read."""
    *outer, name = phase.split("/")
    try:
        definition = project.workflows.open(workflow)
        for entered in outer:
            # The path names the phases that entered inner workflows, from the outside in.
            definition = project.workflows.open(definition.workflow.phases[entered].workflow or "")
        return definition.workflow.find_decline_target(name) or ""
    except (Fault, KeyError):
        return ""


def describe_wait(wait: Mapping[str, Any]) -> str:
    """Describe a wait for the person who reads it: `waits for you: then end, or stop if you decline`."""
    then, declined = wait.get("then"), wait.get("declined")
    if not wait.get("person"):
        return f"waits for the assistant's answer{f': then {then}' if then else ', which decides'}"
    lead = f"then {then}" if then else "your answer decides"
    if not declined:
        return f"waits for you: {lead}"
    return f"waits for you: {lead}, {'also' if then == declined else f'or {declined}'} if you decline"


def find_run_workflow(project: Project, row: RunRow) -> tuple[Definition | None, list[str]]:
    """Find the workflow of a run as it is now, with what differs."""
    name = str(row.document.get("workflow", row.workflow))
    try:
        definition = project.workflows.open(name)
    except Fault:
        return None, [
            f"The workflow {name} cannot be used here (removed, not trusted, or with errors), so it is not drawn."
        ]
    if definition.digest != row.document.get("digest"):
        return definition, ["The workflow was edited since this run; the drawing shows it as it is now."]
    return definition, []


def count_visits(definition: Definition, row: RunRow, steps: Sequence[StepRow]) -> drawing.Visits:
    """Count the phases of the workflow itself, and the ways between them."""
    phases: Counter[str] = Counter()
    ways: Counter[tuple[str, str]] = Counter()
    links: dict[str, str] = {}
    known = {**definition.workflow.map_phase_names(), END: END}
    for step, after in zip_longest(steps, steps[1:]):
        name, _, inner = step.phase.partition("/")
        if name not in definition.workflow.phases:
            continue
        links[name] = f"#step-{step.seq}"
        if inner:
            continue
        # The step of an answer belongs to the visit that asked.
        phases[name] += not _is_answer(step)
        is_asking = after is None and step.document.get("holds")
        if not is_asking and not (after and _is_answer(after) and after.phase == step.phase):  # else the answer decides
            edge: Mapping[str, Any] = step.document.get("edge") or {}
            target = known.get(str(edge.get("token", "")))
            ways.update([(name, target)] if target is not None else [])
    is_open = row.document.get("status") in {"open", "waiting"}
    following = str(row.document.get("next") or "")
    here = str(row.document.get("phase") or "") if following == CONTINUE else following  # it stands where it asked
    current = here.partition("/")[0] if is_open else ""
    failed = {step.phase.partition("/")[0] for step in steps if step.document.get("status") == "error"}
    return drawing.Visits(phases, ways, links, known.get(current, ""), failed)


def _is_answer(step: StepRow) -> bool:
    return step.document.get("kind") == "answer"


TOOLS = (STATUS_TOOL,)
