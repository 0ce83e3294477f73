"""Tool `runs.show`: one run, phase by phase, with inputs, results and the decision of each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.errors import Code, Fault, mark_material
from aurora.tools.core import Alias, Command, CompactModel, Example, Json, StrictModel, Tool
from aurora.tools.text import clip_value, summarize_fields

from .status import LAST, Wait, find_run, find_wait

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Context


_MAX_STEPS_CHARS = 17_000
"""Size limit of the steps and the output of one response in characters of JSON; a response stays under 19,000."""
_MAX_DEPTH = 100
"""Levels of a value that are shown; the checks of an output end at some 250, and a record may have 500."""


class RunInput(StrictModel):
    """Run, and the part of it to show."""

    run: str = Field(
        default=LAST, min_length=1, max_length=80, description="The run's id, as `runs list` shows it, or `last`."
    )
    step: int | None = Field(default=None, ge=1, description="Only this step, with complete values.")
    offset: int = Field(default=0, ge=0, description="Number of steps to skip.")


class Rule(CompactModel):
    """Rule that was evaluated, in order; the last one fired."""

    rule: int | None = Field(default=None, description="Its number; none where `reason` led on.")
    reason: str = Field(default="", description="The key that led on in place of a rule: `on_error`.")
    then: str
    fired: bool
    when: str | None = None
    values: dict[str, Json] = Field(default={}, description="Values that its condition read.")
    spent: str | None = Field(default=None, description="Its `max` was reached, so its `else` was taken.")


class ShownStep(CompactModel):
    """Call of a phase."""

    seq: int
    phase: str
    kind: str = Field(default="", description="`answer`: an answer came; `enter`: another workflow begins.")
    at: str
    status: str
    duration_ms: float | None = None
    inputs: dict[str, Json] = Field(default_factory=dict)
    origins: dict[str, str] = Field(
        default={}, description="Of each input: `sent` by the call, `recalled` from the run, or its `default`."
    )
    arguments: dict[str, Json] = Field(default={}, description="What an `enter` gives to its workflow.")
    result: Json = None
    asked: bool = Field(default=False, description="The host received a prompt.")
    asked_person: bool = Field(default=False, description="The person was asked, and not the host.")
    answer: Json = Field(default=None, description="The answer to this step's prompt.")
    by: dict[str, Json] | None = Field(default=None, description="The person who answered, and how.")
    waits: Wait | None = Field(default=None, description="The answer that is awaited, and what then follows.")
    next_action: str | None = None
    early_exit: bool = False
    say: str = ""
    error: dict[str, Json] | None = None
    decision: tuple[Rule, ...] = ()


class RunOutput(CompactModel):
    """Run; each value is one short line unless one step is requested."""

    run: str
    workflow: str
    status: str
    next: str | None = None
    forked_from: str = ""
    branch: str = Field(default="", description="Branch on which it began.")
    worktree: str = Field(default="", description="Linked worktree in which it began, by git's name.")
    created_at: str
    updated_at: str
    total_steps: int
    tokens_used: int | None = Field(
        default=None, description="Tokens of its responses, each once: characters of the compact JSON / 4."
    )
    token_budget: int | None = Field(default=None, description="Tokens that its workflow allows.")
    output: dict[str, Json] | None = Field(default=None, description="The workflow's output, at the end of the run.")
    steps: tuple[ShownStep, ...]
    next_offset: int | None = Field(default=None, description="Offset of the next page of steps.")


def show_run(given: RunInput, context: Context) -> RunOutput:
    """Show a run.

    Raises:
        Fault: NOT_FOUND for an unknown run or step.
    """
    row = find_run(context.project, given.run)
    steps = context.project.memory.journal.steps(row.run)
    wait = find_wait(context.project, row.workflow, steps[-1].document) if steps else None
    if given.step is not None:
        if given.step > len(steps):
            raise _make_missing_step_fault(row.run, given.step, len(steps))
        return build_output(row, (describe_step(steps, given.step - 1, clip_value, wait),), None)
    shown = [describe_step(steps, at, summarize_fields, wait) for at in range(given.offset, len(steps))]
    output = clip_value(_cut_depth(row.document.get("output")))
    fitting = _count_fitting(shown, _MAX_STEPS_CHARS - len(json.dumps(output, ensure_ascii=False)))
    left = given.offset + fitting if fitting < len(shown) else None
    return build_output(row, tuple(shown[:fitting]), left, output)


def _make_missing_step_fault(run: str, step: int, steps: int) -> Fault:
    return Fault(
        Code.NOT_FOUND,
        f'run "{run}" has no step {step}',
        help=f"It has {steps}, counted from 1.",
        details={"run": run, "steps": steps},
    )


def _count_fitting(steps: list[ShownStep], room: int) -> int:
    """Return the number of steps that fit into so many characters, with marks; at least one."""
    for number, step in enumerate(steps):
        marked = mark_material({"total_steps": 1, "steps": [step.model_dump(mode="json")]})["steps"]
        room -= len(json.dumps(marked, ensure_ascii=False, separators=(",", ":")))
        if room < 0 and number:
            return number
    return len(steps)


def build_output(
    row: RunRow, steps: tuple[ShownStep, ...], next_offset: int | None, output: dict[str, Any] | None = None
) -> RunOutput:
    """Build the output from a run's row and its described steps."""
    head = row.document
    origin = head.get("origin") or {}
    return RunOutput(
        run=row.run,
        workflow=f"{head.get('workflow', row.workflow)}@{head.get('version', '?')}",
        status=str(head.get("status", "open")),
        next=head.get("next"),
        forked_from=head.get("forked_from") or "",
        branch=str(origin.get("branch", "")),
        worktree=str(origin.get("worktree", "")),
        created_at=row.created_at,
        updated_at=row.updated_at,
        total_steps=row.steps,
        tokens_used=head.get("tokens"),
        token_budget=head.get("budget"),
        output=output,
        steps=steps,
        next_offset=next_offset,
    )


def _keep_value(value: Any) -> Any:
    return value


def describe_step(
    steps: Sequence[StepRow], at: int, shown: Callable[[Any], Any] = _keep_value, wait: Wait | None = None
) -> ShownStep:
    """Describe a step, its values by `shown`; the one after it has the answer to its prompt.

    Args:
        steps: those of the run.
        at: the index of the step.
        shown: prepares each value; by default they are whole.
        wait: what the last step waits for; it has led nowhere yet, whatever it decided.
    """
    row = steps[at]
    wait = wait if at == len(steps) - 1 else None
    kept: Mapping[str, Any] = _cut_depth(row.document)
    following: Mapping[str, Any] = _cut_depth(steps[at + 1].document) if at + 1 < len(steps) else {}
    edge = kept.get("edge") or {}
    response = kept.get("response") or {}
    answer = following.get("brought") or ()
    status = _describe_status(kept, following)
    # What led on after a decline is recorded by the step of the answer.
    has_led_on = wait is None and not (status == "declined" and kept.get("status") == "waiting")
    return ShownStep(
        seq=row.seq,
        phase=row.phase,
        kind="" if kept.get("kind") in (None, "phase") else str(kept["kind"]),
        at=row.at,
        status=status,
        duration_ms=(response.get("metadata") or {}).get("duration_ms"),
        inputs=shown(dict(kept.get("inputs") or {})),
        arguments=shown(dict(kept.get("arguments") or {})),
        result=shown(kept.get("result")),
        origins=_find_origins(kept),
        asked=kept.get("asks") is not None and kept.get("status") != "waiting",
        asked_person=kept.get("status") == "waiting",
        answer=shown(answer[0]) if answer else None,
        by=following.get("by"),
        waits=wait,
        next_action=edge.get("token") if has_led_on else None,
        early_exit=bool(edge.get("early_exit")),
        say=edge.get("say") or "",
        error=kept.get("error") or response.get("error"),
        decision=() if not has_led_on else tuple(_read_rule(entry) for entry in kept.get("decision") or ()),
    )


def _describe_status(kept: Mapping[str, Any], following: Mapping[str, Any]) -> str:
    """Return the status of a step; of a question to the person, what they decided."""
    status = str(kept.get("status", ""))
    if status != "waiting" or following.get("kind") != "answer":
        return status
    return "declined" if following.get("status") == "declined" else "approved"


def _cut_depth(value: Any, levels: int = _MAX_DEPTH) -> Any:
    """Return a value of a record without what is nested too deep to be shown."""
    if not isinstance(value, dict | list | tuple):
        return value
    if not levels:
        return "…"
    if isinstance(value, dict):
        return {name: _cut_depth(inner, levels - 1) for name, inner in value.items()}
    return [_cut_depth(inner, levels - 1) for inner in value]


def _find_origins(kept: Mapping[str, Any]) -> dict[str, str]:
    """Find where each input came from, as far as the record tells."""
    given, defaults = kept.get("given") or {}, kept.get("defaults")
    origins = dict.fromkeys(given, "sent")
    # An earlier version did not record them; then nobody can tell a recalled value from a default.
    if defaults is not None:
        others = {name: value for name, value in (kept.get("inputs") or {}).items() if name not in origins}
        origins |= {name: "recalled" for name, value in others.items() if value is not None}
        origins |= dict.fromkeys(defaults, "default")
    return {name: origin for name, origin in origins.items() if name in (kept.get("inputs") or {})}


def _read_rule(entry: Mapping[str, Any]) -> Rule:
    """Read an entry of a decision; earlier versions recorded `on_error` in place of the number of a rule."""
    # A later version may record more, which this one does not show.
    known = {name: value for name, value in entry.items() if name in Rule.model_fields}
    if isinstance(known.get("rule"), str):
        known["reason"] = known.pop("rule")
    return Rule(**{"then": "", "fired": True, **known})


SHOW_TOOL = Tool(
    name="runs.show",
    title="Show a run",
    description="One run, phase by phase: inputs, results, the rule that fired, and the rules that did not.",
    input=RunInput,
    output=RunOutput,
    run=show_run,
    family="runs",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    aliases=(Alias("get_story_context", {"storyId": "run"}), Alias("aura_get_story_context", {"storyId": "run"})),
    constraints=("Runs of a read-only project are not stored.",),
    examples=(Example("A run, by the id in its responses", {"run": "k3f9wq2m"}),),
    mcp="aurora_runs_show",
    command=Command("runs show", "Show one run: each phase and the rule that fired.", arguments=("run",)),
)


TOOLS = (SHOW_TOOL,)
