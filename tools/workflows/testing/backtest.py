"""workflow.backtest: recorded runs stepped through an edited workflow; the first divergence of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.interpreter.problems.suggestions import listed
from aurora.tools.core.compact import Lean
from aurora.tools.core.declaration import Example, Strict, Tool
from aurora.tools.core.json_value import Json  # noqa: TC001 - pydantic reads it when the model is made
from aurora.tools.text.summary import overview
from aurora.tools.workflows.files import targets

from .simulate import definition_of

if TYPE_CHECKING:
    from aurora.interpreter import Definition
    from aurora.interpreter import Run as Recorded
    from aurora.interpreter.backtest import Divergence as Found
    from aurora.interpreter.backtest import Note as Noted
    from aurora.interpreter.backtest import Outcome
    from aurora.interpreter.backtest import Way as Edge
    from aurora.tools.core.context import Context


_RECENT = 200
"""Runs of any workflow that are looked at where the one that is meant has none."""


class BacktestInput(Strict):
    """Which workflow, and how many runs."""

    workflow: str = Field(
        min_length=1, max_length=4096, description="The edited workflow: its name, or a file that holds an edited copy."
    )
    runs: int = Field(default=50, ge=1, le=1000, description="How many recorded runs, the newest first.")
    of: str | None = Field(
        default=None,
        min_length=1,
        max_length=80,
        description="The workflow whose runs are taken; else the one that the file names.",
    )


class Way(Lean):
    """An edge: where it leads, and the rule, counted from 1; no rule where `on_error` led."""

    then: str = Field(description="A phase, an alias or end; empty where it leads nowhere.")
    rule: int | None = None
    when: str = ""
    spent: bool = Field(default=False, description="The rule's `max` was used up, so its `else` was taken.")
    early_exit: bool = False


class Misfit(Strict):
    """What does not fit, and where in the value."""

    path: str
    message: str


class Divergence(Lean):
    """Where a run first parts from its recording."""

    kind: Literal["gone", "answer", "inputs", "result", "fails", "next_action", "unreadable"] = Field(
        description="gone: the phase is no longer there; answer, inputs, result: what was recorded does not fit; "
        "fails: the phase fails now; next_action: another edge is taken; unreadable: the recording is damaged."
    )
    step: int
    phase: str
    place: str = Field(default="", description="Where the edited workflow says what decides: path:line:column.")
    old: Way | None = None
    new: Way | None = None
    values: dict[str, Json] = Field(default_factory=dict, description="What the parts of the conditions were.")
    faults: tuple[Misfit, ...] = ()


class Note(Lean):
    """Something that changed where the run still goes as it went; how many of the runs it concerns."""

    kind: Literal["start", "tool", "unknown", "arguments", "prompt", "unasked", "dropped"] = Field(
        description="start: the workflow begins elsewhere now; tool: the result was made by another tool or with other "
        "settings; unknown: it may have been; arguments: the tool was given other values; prompt: the answer was given "
        "to another prompt; unasked: an answer is no longer asked for; dropped: an input is no longer taken."
    )
    phase: str
    name: str = ""
    runs: int


class Tried(Lean):
    """One run."""

    run: str
    status: str = Field(description="Of the recording: open, ended or failed.")
    steps: int
    same: int = Field(description="Steps that go as they went.")
    divergence: Divergence | None = None


class Group(Strict):
    """Runs that part in the same way; the first of them tells the details."""

    divergence: Divergence
    runs: tuple[str, ...]


class BacktestOutput(Lean):
    """All of them, and in groups."""

    workflow: str
    of: str = Field(description="The workflow whose runs these are.")
    tried: tuple[Tried, ...]
    same: int
    diverged: int
    groups: tuple[Group, ...]
    notes: tuple[Note, ...]
    ok: bool = Field(description="No run parts from its recording.")
    hint: str = Field(default="", description="Where no run is recorded: how to come by one.")


def run_backtest(given: BacktestInput, context: Context) -> BacktestOutput:
    """Try the runs.

    Raises:
        Fault: NOT_FOUND for a workflow that does not exist, INVALID_INPUT for one with errors or for a folder of
            several, FORBIDDEN for a file outside the project.
    """
    definition = _definition(given.workflow, context)
    of = given.of or definition.workflow.name
    heads = context.project.memory.journal.runs(given.runs, workflow=of)
    tried: list[Tried] = []
    noted: dict[tuple[str, str, str], set[str]] = {}
    for number, head in enumerate(heads):
        context.progress(number, len(heads), head.run)
        status = str(head.document.get("status", "open"))
        one, notes = _tried(head.run, status, head.steps, definition, context)
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
        groups=_groups(tried),
        notes=tuple(_note(key, len(runs)) for key, runs in noted.items()),
        ok=not diverged,
        hint="" if tried else _hint(definition, of, context),
    )


def _hint(definition: Definition, of: str, context: Context) -> str:
    """How to come by a run, or which workflow has some."""
    known = {row.workflow for row in context.project.memory.journal.runs(_RECENT)}
    if known and of != definition.workflow.name:
        return f"there are runs of {listed(known)}"
    others = f"; there are runs of {listed(known)}, which `--of` names" if known else ""
    return (
        f"begin one with `aur workflow step {definition.workflow.start} --workflow {definition.workflow.name}`{others}"
    )


def _definition(asked: str, context: Context) -> Definition:
    """The edited workflow; a last good edition that stands in for a broken file is not what is meant."""
    wanted = targets((asked,), context)
    if len(wanted) != 1:
        message = f'"{asked[:200]}" holds {len(wanted)} workflows, and one is tried at a time'
        raise Fault(Code.INVALID_INPUT, message, help="name one of its files")
    definition = definition_of(wanted[0][1], context)
    if definition.stands_in:
        message = f'workflow "{definition.workflow.name}" has errors: {definition.stands_in}'
        raise Fault(Code.INVALID_INPUT, message, help=f"`aur workflow validate {asked[:200]}` shows them all")
    return definition


def _tried(
    run: str, status: str, steps: int, definition: Definition, context: Context
) -> tuple[Tried, tuple[Noted, ...]]:
    from aurora.interpreter.backtest import backtest  # noqa: PLC0415 - a server's start does not need it

    recorded = _recorded(run, context)
    if recorded is None:
        damaged = Divergence(kind="unreadable", step=1, phase="")
        return Tried(run=run, status=status, steps=steps, same=0, divergence=damaged), ()
    outcome: Outcome = backtest(recorded, definition)
    parted = outcome.divergence
    found = None if parted is None else _divergence(definition, parted)
    return Tried(run=run, status=status, steps=outcome.steps, same=outcome.same, divergence=found), outcome.notes


def _recorded(run: str, context: Context) -> Recorded | None:
    """The run as it is kept; None when it was changed by hand and cannot be read."""
    from aurora.tools.runtime.ports import MemoryJournal  # noqa: PLC0415 - as above

    try:
        return MemoryJournal(context.project).load(run)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _divergence(definition: Definition, found: Found) -> Divergence:
    return Divergence(
        kind=found.kind,
        step=found.step,
        phase=found.phase,
        place=_place(definition, found.loc),
        old=_way(found.old),
        new=_way(found.new),
        values={name: overview({name: value}).get(name, value) for name, value in found.values.items()},
        faults=tuple(Misfit(**one) for one in found.faults),
    )


def _place(definition: Definition, loc: tuple[str | int, ...]) -> str:
    """`path:line:column` of what is named; of as much of it as the document says."""
    from aurora.interpreter.language.build import find, find_key  # noqa: PLC0415 - as above

    if not loc:
        return ""
    if isinstance(loc[-1], int):
        rules = find(definition.root, loc[:-1])
        return find(rules, loc[-1:]).place.at if rules.kind == "list" else rules.place.at
    return find_key(definition.root, loc).place.at


def _way(way: Edge | None) -> Way | None:
    if way is None:
        return None
    rule = None if way.rule is None else way.rule + 1
    return Way(then=way.token, rule=rule, when=way.when, spent=way.spent, early_exit=way.early_exit)


def _note(key: tuple[Any, str, str], runs: int) -> Note:
    kind, phase, name = key
    return Note(kind=kind, phase=phase, name=name, runs=runs)


def _groups(tried: list[Tried]) -> tuple[Group, ...]:
    """Those that part alike together, the largest group first."""
    found: dict[tuple[Any, ...], list[Tried]] = {}
    for one in tried:
        if one.divergence is not None:
            found.setdefault(_alike(one.divergence), []).append(one)
    ordered = sorted(found.values(), key=lambda group: -len(group))
    return tuple(
        Group(divergence=group[0].divergence, runs=tuple(one.run for one in group))
        for group in ordered
        if group[0].divergence is not None
    )


def _alike(one: Divergence) -> tuple[Any, ...]:
    """What two divergences must share to be one: not the step, nor the values."""
    return (one.kind, one.phase, one.old, one.new, one.faults[0].path if one.faults else "")


TOOL = Tool(
    name="workflow.backtest",
    title="Try recorded runs on an edited workflow",
    description=(
        "Steps recorded runs through an edited workflow with the inputs, results and answers that were recorded, and "
        "tells where each first goes another way, or no longer fits. No tool is run, and no model is asked."
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
    command=("workflow", "backtest"),
)
