"""`workflow.backtest`: first divergence of recorded runs in an edited workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.interpreter.lab.backtest import backtest_run
from aurora.interpreter.language.build import find_key, find_node
from aurora.interpreter.problems import list_names
from aurora.tools import runtime
from aurora.tools.core import Command, CompactModel, Example, Json, StrictModel, Tool
from aurora.tools.text import summarize_fields

from .files import resolve_targets
from .simulate import load_definition

if TYPE_CHECKING:
    from aurora.interpreter import Definition
    from aurora.interpreter import Run as Recorded
    from aurora.interpreter.lab.backtest import BacktestResult, NoteKind
    from aurora.interpreter.lab.backtest import Divergence as Found
    from aurora.interpreter.lab.backtest import Note as Noted
    from aurora.interpreter.lab.backtest import TakenEdge as Edge
    from aurora.tools.core import Context

_MAX_RECENT_RUNS = 200
"""Runs of any workflow to search when the requested workflow has none."""


class BacktestInput(StrictModel):
    """Edited workflow, and the number of runs."""

    workflow: str = Field(
        min_length=1, max_length=4096, description="The edited workflow: its name, or the file of an edited copy."
    )
    runs: int = Field(default=50, ge=1, le=1000, description="Number of recorded runs, the newest first.")
    of: str | None = Field(
        default=None,
        min_length=1,
        max_length=80,
        description="The workflow whose runs are used; by default the name in the file.",
    )


class TakenEdge(CompactModel):
    """Taken edge with its target and rule, counted from 1; no rule for `on_error`."""

    then: str = Field(description="A phase, an alias or end; empty without a target.")
    rule: int | None = None
    when: str = ""
    spent: bool = Field(default=False, description="The rule's `max` was used up, so its `else` was taken.")
    early_exit: bool = False


class Mismatch(StrictModel):
    """Mismatch with its path in the value."""

    path: str
    message: str


class Divergence(CompactModel):
    """First step of a run that differs from its recording."""

    kind: Literal["gone", "answer", "inputs", "result", "fails", "next_action", "unreadable"] = Field(
        description="gone: the phase does not exist any more; answer, inputs, result: the recorded value does not fit; "
        "fails: the phase fails now; next_action: another edge is taken; unreadable: the recording is damaged."
    )
    step: int
    phase: str
    place: str = Field(default="", description="Place of the deciding part in the edited workflow: path:line:column.")
    old: TakenEdge | None = None
    new: TakenEdge | None = None
    values: dict[str, Json] = Field(default_factory=dict, description="Values of the parts of the conditions.")
    faults: tuple[Mismatch, ...] = ()


class BacktestNote(CompactModel):
    """Change that does not alter the path, with the number of runs that it affects."""

    kind: Literal["start", "tool", "unknown", "arguments", "prompt", "unasked", "dropped"] = Field(
        description="start: the workflow has another first phase now; tool: the result is from another tool or other "
        "settings; unknown: it may be; arguments: the tool got other values; prompt: the answer was for another "
        "prompt; unasked: the phase has no prompt any more; dropped: the phase has no such input any more."
    )
    phase: str
    name: str = ""
    runs: int


class BacktestedRun(CompactModel):
    """Backtested run."""

    run: str
    status: str = Field(description="Status of the recording: open, ended or failed.")
    steps: int
    same: int = Field(description="Steps that are the same as recorded.")
    divergence: Divergence | None = None


class DivergenceGroup(StrictModel):
    """Runs with the same divergence, with the details of the first."""

    divergence: Divergence
    runs: tuple[str, ...]


class BacktestOutput(CompactModel):
    """Backtested runs, also grouped by divergence."""

    workflow: str
    of: str = Field(description="The workflow of these runs.")
    tried: tuple[BacktestedRun, ...]
    same: int
    diverged: int
    groups: tuple[DivergenceGroup, ...]
    notes: tuple[BacktestNote, ...]
    ok: bool = Field(description="True when no run differs from its recording.")
    hint: str = Field(default="", description="Without recorded runs, how to record one.")


def run_backtest(given: BacktestInput, context: Context) -> BacktestOutput:
    """Backtest recorded runs.

    Raises:
        Fault: NOT_FOUND for a workflow that does not exist, INVALID_INPUT for one with errors or for a folder of
            several, FORBIDDEN for a path outside the project.
    """
    definition = _load_edited(given.workflow, context)
    of = given.of or definition.workflow.name
    heads = context.project.memory.journal.runs(given.runs, workflow=of)
    tried: list[BacktestedRun] = []
    noted: dict[tuple[NoteKind, str, str], set[str]] = {}
    for number, head in enumerate(heads):
        context.progress(number, len(heads), head.run)
        status = str(head.document.get("status", "open"))
        one, notes = _backtest_run(head.run, status, head.steps, definition, context)
        tried.append(one)
        for note in notes:
            noted.setdefault((note.kind, note.phase, note.name), set()).add(head.run)
    diverged = sum(one.divergence is not None for one in tried)
    return BacktestOutput(
        workflow=definition.label,
        of=of,
        tried=tuple(tried),
        same=len(tried) - diverged,
        diverged=diverged,
        groups=_group_runs(tried),
        notes=tuple(
            BacktestNote(kind=kind, phase=phase, name=name, runs=len(runs))
            for (kind, phase, name), runs in noted.items()
        ),
        ok=not diverged,
        hint="" if tried else _suggest_runs(definition, of, context),
    )


def _suggest_runs(definition: Definition, of: str, context: Context) -> str:
    """Suggest how to record a run, or a workflow that has runs."""
    # A copy under another name has no runs of its own; those of the original are tried with `--of`.
    known = {row.workflow for row in context.project.memory.journal.runs(_MAX_RECENT_RUNS)}
    if known and of != definition.workflow.name:
        return f"there are runs of {list_names(known)}"
    others = f"; there are runs of {list_names(known)}: name it with `--of`" if known else ""
    return (
        f"begin one with `aur workflow step {definition.workflow.start} --workflow {definition.workflow.name}`{others}"
    )


def _load_edited(target: str, context: Context) -> Definition:
    """Load the edited workflow; reject the last valid version of a broken file."""
    wanted = resolve_targets((target,), context)
    if len(wanted) != 1:
        message = f'"{target[:200]}" contains {len(wanted)} workflows, but a backtest takes one'
        raise Fault(Code.INVALID_INPUT, message, help="name one of its files")
    definition = load_definition(wanted[0][1], context)
    # The last good version of a broken file would repeat its own runs and say nothing about the edit.
    if definition.fallback_reason:
        message = f'workflow "{definition.workflow.name}" has errors: {definition.fallback_reason}'
        raise Fault(Code.INVALID_INPUT, message, help=f"run `aur workflow validate {target[:200]}` to list them")
    return definition


def _backtest_run(
    run: str, status: str, steps: int, definition: Definition, context: Context
) -> tuple[BacktestedRun, tuple[Noted, ...]]:
    recorded = _load_run(run, context)
    if recorded is None:
        damaged = Divergence(kind="unreadable", step=1, phase="")
        return BacktestedRun(run=run, status=status, steps=steps, same=0, divergence=damaged), ()
    outcome: BacktestResult = backtest_run(recorded, definition)
    parted = outcome.divergence
    found = None if parted is None else _to_divergence(definition, parted)
    return BacktestedRun(
        run=run, status=status, steps=outcome.steps, same=outcome.matching_steps, divergence=found
    ), outcome.notes


def _load_run(run: str, context: Context) -> Recorded | None:
    """Load a recorded run; return None for a damaged one."""
    try:
        return runtime.MemoryJournal(context.project).load(run)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _to_divergence(definition: Definition, found: Found) -> Divergence:
    return Divergence.from_value(
        found,
        place=_find_place(definition, found.loc),
        old=_to_taken_edge(found.old),
        new=_to_taken_edge(found.new),
        values={name: summarize_fields({name: value}).get(name, value) for name, value in found.values.items()},
    )


def _find_place(definition: Definition, loc: tuple[str | int, ...]) -> str:
    """Find the `path:line:column` of a location, or of its nearest existing part."""
    if not loc:
        return ""
    if isinstance(loc[-1], int):
        rules = find_node(definition.root, loc[:-1])
        # A single target may be written without a list, and is then its own place.
        return find_node(rules, loc[-1:]).place.label if rules.kind == "list" else rules.place.label
    return find_key(definition.root, loc).place.label


def _to_taken_edge(way: Edge | None) -> TakenEdge | None:
    if way is None:
        return None
    return TakenEdge.from_value(way, then=way.token, rule=None if way.rule is None else way.rule + 1)


def _group_runs(tried: list[BacktestedRun]) -> tuple[DivergenceGroup, ...]:
    """Group runs with the same divergence, the largest group first."""
    divergences: dict[tuple[Any, ...], Divergence] = {}
    runs: dict[tuple[Any, ...], list[str]] = {}
    for one in tried:
        if one.divergence is not None:
            key = _to_group_key(one.divergence)
            divergences.setdefault(key, one.divergence)
            runs.setdefault(key, []).append(one.run)
    ordered = sorted(runs, key=lambda key: -len(runs[key]))
    return tuple(DivergenceGroup(divergence=divergences[key], runs=tuple(runs[key])) for key in ordered)


def _to_group_key(one: Divergence) -> tuple[Any, ...]:
    """Return what equal divergences have in common: neither the step nor the values."""
    return (one.kind, one.phase, one.old, one.new, one.faults[0].path if one.faults else "")


TOOL = Tool(
    name="workflow.backtest",
    title="Backtest an edited workflow",
    description=(
        "Step recorded runs through an edited workflow with the recorded inputs, results and answers, and report the "
        "first divergence of each. Runs no tool and asks no model."
    ),
    input=BacktestInput,
    output=BacktestOutput,
    run=run_backtest,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=300.0,
    examples=(Example("The newest runs of the shipped workflow", {"workflow": "soar", "runs": 20}),),
    mcp="aurora_workflow_backtest",
    command=Command(
        "workflow backtest", "Replay recorded runs on an edited workflow.", arguments=("workflow",), files=("workflow",)
    ),
)
