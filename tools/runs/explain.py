"""Tool `workflow.explain`: the rules of each step of a run, and the values of their conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.interpreter.lab.explain_step import preview_rules, trace_step
from aurora.interpreter.run.frames import find_frame
from aurora.interpreter.run.next_call import build_next_call
from aurora.interpreter.run.resume import compute_digest
from aurora.tools.core import (
    Command,
    CompactModel,
    Example,
    Json,
    StrictModel,
    Tool,
)
from aurora.tools.runtime import MemoryJournal, read_recorded_run, read_recorded_step

from .status import LAST, Wait, find_wait, resolve_run_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.interpreter import Definition
    from aurora.interpreter.lab.explain_step import RuleVerdict
    from aurora.interpreter.run.journal import Run
    from aurora.interpreter.run.step import Step
    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Context, Project

_MAX_STEPS_CHARS = 17_000
"""Size limit of the steps of one response in characters of JSON; a response stays under 19,000."""


class ExplainInput(StrictModel):
    """Run, and the part of it to explain."""

    run: str | None = Field(
        default=None, min_length=1, max_length=80, description="The run's id, or `last`. Without it, the newest run."
    )
    step: int | None = Field(default=None, ge=1, description="Only this step.")
    offset: int = Field(default=0, ge=0, description="Number of steps to skip.")


class ExplainedPart(CompactModel):
    """Part of a condition with its value; `skipped` if an earlier part decided."""

    part: str
    depth: int = 0
    value: Json = None
    state: str = "known"
    note: str = ""


class ExplainedRule(CompactModel):
    """Rule with its verdict."""

    rule: int = Field(description="Its number from 1; 0 where `key` led on.")
    key: str = Field(default="", description="In place of a rule: `on_error`, `on_decline`, `limit` or `skipped`.")
    then: str
    verdict: str = Field(
        description="`fired`, `false`, `spent`, `not reached`, `failed`, `open` if not evaluated yet, or `due` if it "
        "fires when the answer has come."
    )
    when: str = ""
    place: str = Field(default="", description="path:line:column; absent if the file no longer contains the rule.")
    parts: tuple[ExplainedPart, ...] = ()
    note: str = ""


class ExplainedStep(CompactModel):
    """Call of a phase with the rules that decided its next phase."""

    seq: int
    phase: str
    kind: str = Field(default="", description="`answer`: an answer came; `enter`: another workflow begins.")
    status: str
    by: dict[str, Json] | None = Field(default=None, description="The person who answered, and how.")
    waits: Wait | None = Field(default=None, description="The answer that is awaited, and what then follows.")
    next_action: str | None = None
    edited: bool = Field(default=False, description="The phase has been edited since; the rules are the recorded ones.")
    items: str = Field(default="", description="The items of for_each.")
    rules: tuple[ExplainedRule, ...] = ()


class UpcomingPhase(CompactModel):
    """Possible next phase of an open run."""

    phase: str
    needs: tuple[str, ...] = ()
    rules: tuple[ExplainedRule, ...] = ()


class ExplainOutput(CompactModel):
    """Run, step by step, with every rule."""

    run: str
    workflow: str
    status: str
    forked_from: str = ""
    total_steps: int
    path: str = Field(default="", description="The workflow's file.")
    file: str = Field(default="", description="Difference between the workflow's file and the run.")
    steps: tuple[ExplainedStep, ...]
    coming: UpcomingPhase | None = None
    next_offset: int | None = Field(default=None, description="Offset of the next page of steps.")


def explain_run(given: ExplainInput, context: Context) -> ExplainOutput:
    """Explain a run.

    Raises:
        Fault: NOT_FOUND for an unknown run or step, or without any run.
    """
    run = _load_run(given.run, context.project)
    definition, missing = _open_definition(run, context.project)
    wait = find_wait(context.project, run.workflow, run.steps[-1].to_json()) if run.steps else None
    shown = run.steps[given.offset :]
    if given.step is not None:
        if given.step > len(run.steps):
            raise Fault(
                Code.NOT_FOUND,
                f'run "{run.run}" has no step {given.step}',
                help=f"It has {len(run.steps)}, counted from 1.",
                details={"run": run.run, "steps": len(run.steps)},
            )
        shown = (run.steps[given.step - 1],)
    steps = _explain_steps(definition, run, shown, context.project, wait)
    left = given.offset + len(steps) if len(steps) < len(shown) else None
    return ExplainOutput(
        run=run.run,
        workflow=f"{run.workflow}@{run.version}",
        status=str(run.to_head()["status"]),
        forked_from=run.forked_from,
        total_steps=len(run.steps),
        path="" if definition is None else str(definition.path),
        file=missing or _describe_edit(definition, run, context.project),
        steps=tuple(steps),
        # What may come follows the last step, so only the last page has it.
        coming=_explain_upcoming(definition, run, context.project) if left is None and given.step is None else None,
        next_offset=left,
    )


def explain_one_step(row: RunRow, rows: Sequence[StepRow], seq: int, context: Context) -> ExplainedStep:
    """Explain one step of a run whose steps are read already.

    Args:
        row: the run.
        rows: all its steps.
        seq: the number of the step, from 1.
        context: the project.

    Raises:
        Fault: UPSTREAM_ERROR for a run whose record is not complete.
    """
    run = read_recorded_run(row, tuple(map(read_recorded_step, rows)))
    definition, _ = _open_definition(run, context.project)
    wait = find_wait(context.project, run.workflow, run.steps[-1].to_json())
    return _explain_steps(definition, run, (run.steps[seq - 1],), context.project, wait)[0]


def _load_run(name: str | None, project: Project) -> Run:
    name = resolve_run_id(project, name or LAST)
    run = MemoryJournal(project).load(name)
    if run is None:
        raise Fault(
            Code.NOT_FOUND,
            f'there is no run "{name}"',
            help="`aur runs list` shows the runs of this project.",
            details={"run": name},
        )
    return run


def _open_definition(run: Run, project: Project) -> tuple[Definition | None, str]:
    """Return the current workflow, or None and the reason."""
    try:
        return project.workflows.open(run.workflow), ""
    except Fault as fault:
        return None, f"{fault.message}; the rules are the recorded ones, without their places"


def _describe_edit(definition: Definition | None, run: Run, project: Project) -> str:
    # The digest covers the workflows that this one runs, whose edits change the run as well.
    if definition is None or compute_digest(definition, project.workflows.open) == run.digest:
        return ""
    version = definition.workflow.version
    other = f", and is {definition.label} now" if version != run.version else ""
    return f"the workflow was edited after the start of this run{other}; edited steps show the recorded rules"


def _explain_steps(
    definition: Definition | None, run: Run, steps: tuple[Step, ...], project: Project, wait: Wait | None
) -> list[ExplainedStep]:
    """Explain as many steps as fit into one response; at least one."""
    room = _MAX_STEPS_CHARS
    fitting: list[ExplainedStep] = []
    # Rewound once, and then a step at a time: in a long run, to rewind for each step would take quadratic time.
    before = run.rewind_before(steps[0].seq) if steps else run
    for step in steps:
        after = before.with_step(step)
        explained = _explain_step(definition, before, after, project)
        if step is run.steps[-1] and wait is not None:
            explained = _hold_back(explained, wait)
        elif step.status == "waiting":
            # Steps count from 1, so this is the one after it, which has the reply.
            explained = _tell_reply(explained, run.steps[step.seq])
        before = after
        room -= len(explained.model_dump_json()) + 1
        if room < 0 and fitting:
            break
        fitting.append(explained if room >= 0 else _drop_parts(explained))
    return fitting


def _hold_back(step: ExplainedStep, wait: Wait) -> ExplainedStep:
    """Return a step that waits for an answer: what its rules decided is due when the answer has come."""
    rules = tuple(
        rule.model_copy(update={"verdict": "due"}) if rule.verdict == "fired" else rule for rule in step.rules
    )
    return step.model_copy(update={"waits": wait, "next_action": None, "rules": rules})


def _tell_reply(step: ExplainedStep, answer: Step) -> ExplainedStep:
    """Return a step that asked the person, with what they decided; the answer is what led on."""
    if answer.status != "declined":
        return step.model_copy(update={"status": "approved", "by": answer.by, "next_action": None})
    rules = tuple(
        rule.model_copy(update={"verdict": "due", "note": "the person declined"}) if rule.verdict == "fired" else rule
        for rule in step.rules
    )
    return step.model_copy(update={"status": "declined", "by": answer.by, "next_action": None, "rules": rules})


def _drop_parts(step: ExplainedStep) -> ExplainedStep:
    """Return a step that is too long with the parts of only the rule that fired."""
    slim = tuple(
        rule if rule.verdict in {"fired", "spent"} else rule.model_copy(update={"parts": ()}) for rule in step.rules
    )
    return step.model_copy(update={"rules": slim[:40]})


def _explain_step(definition: Definition | None, before: Run, after: Run, project: Project) -> ExplainedStep:
    step = after.steps[-1]
    found = trace_step(definition, before, after, project.workflows.open)
    return ExplainedStep(
        seq=step.seq,
        phase=step.phase,
        kind="" if step.kind == "phase" else step.kind,
        status=step.status,
        next_action=step.edge.token if step.edge else None,
        edited=found.edited,
        items=found.items,
        rules=tuple(_explain_rule(verdict) for verdict in found.verdicts),
    )


def _explain_rule(verdict: RuleVerdict) -> ExplainedRule:
    parts = tuple(ExplainedPart.from_value(part, part=part.text) for part in verdict.parts)
    return ExplainedRule.from_value(verdict, parts=parts)


def _explain_upcoming(definition: Definition | None, run: Run, project: Project) -> UpcomingPhase | None:
    """Explain the phase that comes next, or the one that waits for its answer."""
    try:
        frame = find_frame(run, definition, project.workflows.open) if definition is not None else None
    except Fault:  # the workflow was edited, and a phase of it runs another one
        return None
    if frame is None:
        return None
    last = frame.run.last_step
    asks = last is not None and last.holds
    phase = last.phase if last is not None and asks else frame.expected_phase
    if phase is None or phase not in frame.definition.workflow.phases:
        return None
    call = build_next_call(run, frame)
    # A step that has decided already shows these rules itself.
    is_decided = asks and last is not None and last.edge is not None
    rules = () if is_decided else tuple(map(_explain_rule, preview_rules(frame.definition, phase)[:20]))
    return UpcomingPhase(phase=f"{frame.prefix}{phase}", needs=tuple(call.needs) if call else (), rules=rules)


TOOL = Tool(
    name="workflow.explain",
    title="Explain a run",
    description=(
        "Explain the path of a run: for each step every rule with its place in the file, its verdict, and the value "
        "of each part of its condition. It runs nothing."
    ),
    input=ExplainInput,
    output=ExplainOutput,
    run=explain_run,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    examples=(Example("The newest run", {}),),
    mcp="aurora_workflow_explain",
    command=Command("workflow explain", "Explain the path of a run, rule by rule.", arguments=("run",)),
)
