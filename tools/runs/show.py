"""runs.show: one run, phase by phase: what went in, what came out, which rule fired and why the others did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.tools.core import (
    Command,
    CompactModel,
    Example,
    Json,
    StrictModel,
    Tool,
)
from aurora.tools.text import clip_value, summarize_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Context

_MAX_STEPS_CHARS = 17_000
"""Characters of compact JSON for the steps of one response; MCP's limit is 19,000."""


class RunInput(StrictModel):
    """Which run, and which part of it."""

    run: str = Field(min_length=1, max_length=80, description="The run's id, as `runs list` shows it.")
    step: int | None = Field(default=None, ge=1, description="Only this step, with its values in full.")
    offset: int = Field(default=0, ge=0, description="Steps to skip.")


class Rule(CompactModel):
    """One rule that was looked at, in order; the one that fired is the last."""

    rule: int
    then: str
    fired: bool
    when: str | None = None
    values: dict[str, Json] = Field(default={}, description="What its condition looked up.")
    spent: str | None = Field(default=None, description="Its `max` was used up, so its `else` was taken.")


class ShownStep(CompactModel):
    """One phase call."""

    seq: int
    phase: str
    at: str
    status: str
    duration_ms: float | None = None
    inputs: dict[str, Json] = Field(default_factory=dict)
    brought: Json = Field(default=None, description="The host's answer to the prompt of the step before.")
    result: Json = None
    asked: bool = Field(default=False, description="The host was given a prompt to answer.")
    next_action: str | None = None
    early_exit: bool = False
    say: str = ""
    error: dict[str, Json] | None = None
    decision: tuple[Rule, ...] = ()


class RunOutput(CompactModel):
    """The run; each value is one short line unless one step is asked for."""

    run: str
    workflow: str
    status: str
    next: str | None = None
    forked_from: str = ""
    created_at: str
    updated_at: str
    total_steps: int
    steps: tuple[ShownStep, ...]
    next_offset: int | None = Field(default=None, description="Ask again with it for the later steps.")


def show_run(given: RunInput, context: Context) -> RunOutput:
    """Show a run.

    Raises:
        Fault: NOT_FOUND for a run or a step that does not exist.
    """
    journal = context.project.memory.journal
    row = journal.head(given.run)
    if row is None:
        raise Fault(
            Code.NOT_FOUND,
            f'there is no run "{given.run}"',
            help="`aur runs list` shows the runs of this project.",
            details={"run": given.run},
        )
    steps = journal.steps(given.run)
    if given.step is not None:
        if given.step > len(steps):
            raise _make_missing_step_fault(given.run, given.step, len(steps))
        return _build_output(row, (_describe_step(steps[given.step - 1], clip_value),), None)
    shown = [_describe_step(step, summarize_fields) for step in steps[given.offset :]]
    fitting = _count_fitting(shown)
    left = given.offset + fitting if fitting < len(shown) else None
    return _build_output(row, tuple(shown[:fitting]), left)


def _make_missing_step_fault(run: str, step: int, steps: int) -> Fault:
    return Fault(
        Code.NOT_FOUND,
        f'run "{run}" has no step {step}',
        help=f"It has {steps}, counted from 1.",
        details={"run": run, "steps": steps},
    )


def _count_fitting(steps: list[ShownStep]) -> int:
    """How many of the first steps one response holds; at least one."""
    room = _MAX_STEPS_CHARS
    for number, step in enumerate(steps):
        room -= len(step.model_dump_json()) + 1
        if room < 0 and number:
            return number
    return len(steps)


def _build_output(row: RunRow, steps: tuple[ShownStep, ...], next_offset: int | None) -> RunOutput:
    head = row.document
    return RunOutput(
        run=row.run,
        workflow=f"{head.get('workflow', row.workflow)}@{head.get('version', '?')}",
        status=str(head.get("status", "open")),
        next=head.get("next"),
        forked_from=head.get("forked_from") or "",
        created_at=row.created_at,
        updated_at=row.updated_at,
        total_steps=row.steps,
        steps=steps,
        next_offset=next_offset,
    )


def _describe_step(row: StepRow, shown: Callable[[Any], Any]) -> ShownStep:
    kept: Mapping[str, Any] = row.document
    edge = kept.get("edge") or {}
    response = kept.get("response") or {}
    brought = kept.get("brought") or ()
    return ShownStep(
        seq=row.seq,
        phase=row.phase,
        at=row.at,
        status=kept.get("status", ""),
        duration_ms=(response.get("metadata") or {}).get("duration_ms"),
        inputs=shown(dict(kept.get("inputs") or {})),
        brought=shown(brought[0]) if brought else None,
        result=shown(kept.get("result")),
        asked=kept.get("asks") is not None,
        next_action=edge.get("token"),
        early_exit=bool(edge.get("early_exit")),
        say=edge.get("say") or "",
        error=response.get("error"),
        decision=tuple(Rule(**rule) for rule in kept.get("decision") or ()),
    )


TOOL = Tool(
    name="runs.show",
    title="Show a run",
    description="One run phase by phase: inputs, results, the rule that fired, and why the others did not.",
    input=RunInput,
    output=RunOutput,
    run=show_run,
    family="runs",
    risk="read",
    idempotent=True,
    timeout=30.0,
    aliases=("get_story_context",),
    constraints=("Runs that were stepped read-only were not kept.",),
    examples=(Example("A run, by the name that its responses carry", {"run": "k3f9wq2m"}),),
    mcp="aurora_runs_show",
    command=Command("runs show", "Show one run: each phase and the rule that fired.", arguments=("run",)),
)
