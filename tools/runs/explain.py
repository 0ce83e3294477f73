"""workflow.explain: why a run went where it went: each rule, its place, and what the parts of its condition were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.interpreter.analysis.explain_step import coming, trace
from aurora.interpreter.language.model import END
from aurora.interpreter.run.next_call import follow
from aurora.tools.core.compact import Lean
from aurora.tools.core.declaration import Example, Strict, Tool
from aurora.tools.core.json_value import Json  # noqa: TC001 - pydantic reads it when the model is made
from aurora.tools.runtime.ports import MemoryJournal

if TYPE_CHECKING:
    from aurora.interpreter import Definition, Run, Step
    from aurora.interpreter.analysis.explain_step import Verdict
    from aurora.interpreter.expressions.explain import Part
    from aurora.tools.core.context import Context
    from aurora.tools.core.project import Project

_BUDGET = 17_000
"""Characters of compact JSON for the steps of one response; MCP's limit is 19,000."""


class ExplainInput(Strict):
    """Which run, and which part of it."""

    run: str | None = Field(
        default=None, min_length=1, max_length=80, description="The run's id. Without it, the newest run."
    )
    step: int | None = Field(default=None, ge=1, description="Only this step.")
    offset: int = Field(default=0, ge=0, description="Steps to skip.")


class ExplainedPart(Lean):
    """A part of a condition and what it was; `skipped` where what stands before it had decided."""

    part: str
    depth: int = 0
    value: Json = None
    state: str = "known"
    note: str = ""


class ExplainedRule(Lean):
    """One rule: `fired`, `false`, `spent`, `not reached`, `failed`, or `open` where it has yet to be looked at."""

    rule: int = Field(description="Its number from 1; 0 for on_error.")
    then: str
    verdict: str
    when: str = ""
    place: str = Field(default="", description="path:line:column; absent where the file no longer holds it.")
    parts: tuple[ExplainedPart, ...] = ()
    note: str = ""


class ExplainedStep(Lean):
    """One phase call and why it led where it led."""

    seq: int
    phase: str
    status: str
    next_action: str | None = None
    edited: bool = Field(default=False, description="The phase was edited since; the rules are the recorded ones.")
    items: str = Field(default="", description="What for_each asked for.")
    rules: tuple[ExplainedRule, ...] = ()


class Coming(Lean):
    """What may come next in a run that is still open."""

    phase: str
    needs: tuple[str, ...] = ()
    rules: tuple[ExplainedRule, ...] = ()


class ExplainOutput(Lean):
    """The run, step by step, with every rule."""

    run: str
    workflow: str
    status: str
    forked_from: str = ""
    total_steps: int
    file: str = Field(default="", description="Where the workflow's file differs from what ran.")
    steps: tuple[ExplainedStep, ...]
    coming: Coming | None = None
    next_offset: int | None = Field(default=None, description="Ask again with it for the later steps.")


def explain_run(given: ExplainInput, context: Context) -> ExplainOutput:
    """Explain a run.

    Raises:
        Fault: NOT_FOUND for a run or a step that does not exist, or when there is no run at all.
    """
    run = _run(given.run, context.project)
    definition, missing = _definition(run, context.project)
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
    steps = _fitting(definition, run, shown)
    left = given.offset + len(steps) if len(steps) < len(shown) else None
    return ExplainOutput(
        run=run.run,
        workflow=f"{run.workflow}@{run.version}",
        status=str(run.head()["status"]),
        forked_from=run.forked_from,
        total_steps=len(run.steps),
        file=missing or _changed(definition, run),
        steps=tuple(steps),
        coming=_coming(definition, run) if left is None and given.step is None else None,
        next_offset=left,
    )


def _run(name: str | None, project: Project) -> Run:
    journal = project.memory.journal
    if name is None:
        newest = journal.runs(1)
        if not newest:
            raise Fault(Code.NOT_FOUND, "there is no run yet", help="`aur workflow run` walks a workflow.")
        name = newest[0].run
    run = MemoryJournal(project).load(name)
    if run is None:
        raise Fault(
            Code.NOT_FOUND,
            f'there is no run "{name}"',
            help="`aur runs list` shows the runs of this project.",
            details={"run": name},
        )
    return run


def _definition(run: Run, project: Project) -> tuple[Definition | None, str]:
    """The workflow as it is now, and what is to be said where there is none."""
    try:
        return project.workflows.open(run.workflow), ""
    except Fault as fault:
        return None, f"{fault.message}; the rules are those that were recorded, and without their places"


def _changed(definition: Definition | None, run: Run) -> str:
    if definition is None or definition.digest == run.digest:
        return ""
    version = definition.workflow.version
    other = f", and is {definition.label} now" if version != run.version else ""
    return f"the workflow was edited after this run had begun{other}; edited steps show the rules that were recorded"


def _fitting(definition: Definition | None, run: Run, steps: tuple[Step, ...]) -> list[ExplainedStep]:
    """As many of the first steps as one response holds; at least one."""
    room = _BUDGET
    fitting: list[ExplainedStep] = []
    for step in steps:
        told = _step(definition, run, step)
        room -= len(told.model_dump_json()) + 1
        if room < 0 and fitting:
            break
        fitting.append(told if room >= 0 else _without_parts(told))
    return fitting


def _without_parts(step: ExplainedStep) -> ExplainedStep:
    """The step, too long by itself, with the parts of only the rule that fired."""
    slim = tuple(
        rule if rule.verdict in {"fired", "spent"} else rule.model_copy(update={"parts": ()}) for rule in step.rules
    )
    return step.model_copy(update={"rules": slim[:40]})


def _step(definition: Definition | None, run: Run, step: Step) -> ExplainedStep:
    found = trace(definition, run, step)
    return ExplainedStep(
        seq=step.seq,
        phase=step.phase,
        status=step.status,
        next_action=step.edge.token if step.edge else None,
        edited=found.edited,
        items=found.items,
        rules=tuple(_rule(verdict) for verdict in found.verdicts),
    )


def _rule(verdict: Verdict) -> ExplainedRule:
    return ExplainedRule(
        rule=verdict.rule,
        then=verdict.then,
        verdict=verdict.verdict,
        when=verdict.when,
        place=verdict.place,
        parts=tuple(_part(part) for part in verdict.parts),
        note=verdict.note,
    )


def _part(part: Part) -> ExplainedPart:
    return ExplainedPart(part=part.text, depth=part.depth, value=part.value, state=part.state, note=part.note)


def _coming(definition: Definition | None, run: Run) -> Coming | None:
    phase = run.expected
    if phase is None or definition is None or phase not in definition.workflow.phases or phase == END:
        return None
    call = follow(definition, run)
    needs = tuple(call.needs) if call else ()
    return Coming(phase=phase, needs=needs, rules=tuple(_rule(rule) for rule in coming(definition, phase)[:20]))


TOOL = Tool(
    name="workflow.explain",
    title="Explain a run",
    description=(
        "Why a run went where it went: for each step every rule with its place in the file, whether it fired, and what "
        "each part of its condition was. Nothing is run for it."
    ),
    input=ExplainInput,
    output=ExplainOutput,
    run=explain_run,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("The newest run", {}),),
    mcp="aurora_workflow_explain",
    command=("workflow", "explain"),
)
