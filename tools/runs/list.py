"""Tool `runs.list`: the newest runs of a project, open and finished."""

from __future__ import annotations

from itertools import count, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.interpreter.language.model import CONTINUE
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool, is_own_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory import RunRow
    from aurora.memory.records import Journal
    from aurora.tools.core import Context, Project

_PAGE = 100
"""Runs that are read at a time where a text is searched."""
_WRITTEN = ("given", "brought")
"""What a step records of its caller: the inputs that were sent, and the answer to the step before."""
_IN_FLIGHT = ("open", "waiting")
"""States that `open` selects: a run that waits for the person is not done."""
_MAX_QUESTION = 200
"""Characters of a question, as many as Aurora records; another program may have written more."""
_OPEN = {"status": "open", "workflow": "soar"}

RunStatus: TypeAlias = Literal["open", "waiting", "ended", "failed"]


class RunsInput(StrictModel):
    """Filters and page of the list."""

    limit: int = Field(default=20, ge=1, le=100, description="Maximum number of runs, the newest first.")
    status: RunStatus | None = Field(
        default=None, description="Only the runs in this state; `open` includes those that wait for the person."
    )
    workflow: str | None = Field(
        default=None, min_length=1, max_length=80, description="Only the runs of this workflow."
    )
    text: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Only runs where the host or a person wrote this text, in an input or an answer.",
    )
    offset: int = Field(default=0, ge=0, le=1_000_000, description="Number of runs to skip.")


class ListedRun(CompactModel):
    """Run; `status` is open, waiting, ended, failed or damaged, `next` the possible next phase."""

    run: str
    workflow: str
    question: str = Field(default="", description="The longest text that began it, shortened.")
    status: str
    phase: str | None = Field(default=None, description="The last phase that ran.")
    next: str | None = None
    outcome: str = Field(default="", description="What an ended run reached: the `status` of its output or result.")
    steps: int
    tokens_used: int | None = Field(default=None, description="Tokens of its responses.")
    token_budget: int | None = Field(default=None, description="Tokens that its workflow allows.")
    created_at: str
    updated_at: str


class RunsOutput(CompactModel):
    """Runs, the newest first."""

    runs: tuple[ListedRun, ...]
    next_offset: int | None = Field(default=None, description="Offset of the next page of older runs.")


def list_runs(given: RunsInput, context: Context) -> RunsOutput:
    """List the runs."""
    journal = context.project.memory.journal
    if given.text is None:
        # One more than is shown tells whether there is another page.
        rows = journal.runs(given.limit + 1, given.offset, given.workflow, status=_list_states(given))
    else:
        rows = tuple(islice(_iter_with_text(given, journal), given.offset, given.offset + given.limit + 1))
    more = len(rows) > given.limit
    return RunsOutput(
        runs=tuple(_describe_run(row) for row in rows[: given.limit]),
        next_offset=given.offset + given.limit if more else None,
    )


def _list_states(given: RunsInput) -> tuple[str, ...]:
    """List the states of the journal that a filter selects; none for all."""
    if given.status is None:
        return ()
    return _IN_FLIGHT if given.status == "open" else (given.status,)


def _iter_with_text(given: RunsInput, journal: Journal) -> Iterator[RunRow]:
    """Yield the runs in whose inputs or answers someone wrote the text, the newest first.

    The journal finds it anywhere in the record of a run, which also has results, and values that a phase recalled.
    """
    text = (given.text or "").lower()
    for offset in count(0, _PAGE):
        rows = journal.runs(_PAGE, offset, given.workflow, status=_list_states(given), text=given.text)
        for row in rows:
            if any(text in value.lower() for value in _iter_written(row, journal)):
                yield row
        if len(rows) < _PAGE:
            return


def _iter_written(row: RunRow, journal: Journal) -> Iterator[str]:
    """Yield the texts that the host or a person gave in a run: its question, the inputs sent, the answers.

    A damaged run has none.
    """
    yield str(row.document.get("question", ""))
    try:
        steps = journal.steps(row.run)
    except Fault as fault:
        if fault.code is not Code.UPSTREAM_ERROR:
            raise
        return
    for step in steps:
        for key in _WRITTEN:
            yield from _iter_texts(step.document.get(key))


def _iter_texts(value: Any) -> Iterator[str]:
    """Yield the texts and numbers within a JSON value; JSON of the journal is not deep."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _iter_texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _iter_texts(inner)
    elif value is not None:
        yield str(value)


class InFlightRun(NamedTuple):
    """Run that is not done: where it waits, and for whom.

    Attributes:
        phase: the phase that comes next, or whose answer is awaited.
        answer: whether an answer is awaited.
        message: the question to the person; empty where the assistant goes on.
    """

    run: str
    workflow: str
    question: str
    phase: str
    answer: bool
    message: str


def list_in_flight(project: Project, limit: int) -> tuple[list[InFlightRun], list[InFlightRun]]:
    """List the newest runs that wait for the person, and the newest that wait for the assistant.

    Runs that another account wrote are left out: they cannot be answered or continued here.
    """
    journal = project.memory.journal
    found: list[list[InFlightRun]] = []
    for status in ("waiting", "open"):
        rows = [row for row in journal.runs(limit, status=status) if is_own_run(row, project)]
        found.append([_describe_in_flight(row, journal) for row in rows])
    return found[0], found[1]


def _describe_in_flight(row: RunRow, journal: Journal) -> InFlightRun:
    head = row.document
    asks = head.get("next") == CONTINUE
    return InFlightRun(
        run=row.run,
        workflow=row.workflow,
        question=str(head.get("question", ""))[:_MAX_QUESTION],
        phase=str(head.get("phase" if asks else "next") or ""),
        answer=asks,
        message=_read_message(row, journal) if head.get("status") == "waiting" else "",
    )


def _read_message(row: RunRow, journal: Journal) -> str:
    """Read the question to the person, which the first step of the last call has in its response."""
    try:
        # Only the last step is read: a list of many runs must not read all their records.
        last = journal.steps(row.run, row.steps)[-1]
        first = int(last.document.get("call") or last.seq)
        called = last if first == last.seq else journal.steps(row.run, first)[0]
    except (Fault, IndexError):  # a damaged run
        return ""
    asked = (called.document.get("response") or {}).get("person") or {}
    return str(asked.get("message", ""))[:_MAX_QUESTION]


def _describe_run(row: RunRow) -> ListedRun:
    head = row.document
    return ListedRun(
        run=row.run,
        workflow=row.workflow,
        question=str(head.get("question", ""))[:_MAX_QUESTION],
        status=str(head.get("status", "open")),
        phase=head.get("phase"),
        next=head.get("next"),
        outcome=str(head.get("outcome") or ""),
        steps=row.steps,
        tokens_used=head.get("tokens"),
        token_budget=head.get("budget"),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


TOOL = Tool(
    name="runs.list",
    title="List the runs",
    description=(
        "The newest runs of this project: the question, the workflow, the progress and the possible next phase of each."
    ),
    input=RunsInput,
    output=RunsOutput,
    run=list_runs,
    family="runs",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    aliases=(Alias("list_stories"), Alias("aura_list_stories")),
    examples=(Example("The newest five", {"limit": 5}), Example("Open runs of a workflow", _OPEN)),
    mcp="aurora_runs_list",
    command=Command("runs list", "List the newest runs."),
)
