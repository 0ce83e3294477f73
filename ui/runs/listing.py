"""List of runs: filters, states with their counts, and rows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.faults.secrets import mask_secrets
from aurora.interpreter.language import CONTINUE
from aurora.ui.web import describe_moment

from .state import RUN_STATES, State, describe_run_state

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project

_MAX_QUESTION = 160


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Filter and page of the list."""

    status: str = ""
    workflow: str = ""
    text: str = ""
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True, slots=True)
class RunLine:
    """Row of the list."""

    run: str
    workflow: str
    state: State
    question: str
    phase: str
    steps: int
    tokens: str
    over_budget: bool
    updated_at: str
    ago: str


@dataclass(frozen=True, slots=True)
class StateCount:
    """State with the number of its runs."""

    value: str
    text: str
    sign: str
    count: int


def describe_states(counts: Mapping[str, int]) -> list[StateCount]:
    """Describe the states to choose from, after all of them."""
    found = [StateCount("", "All", "", sum(counts.values()))]
    names = {"waiting": "Waiting", "open": "Open", "ended": "Ended", "failed": "Failed"}
    found += [StateCount(name, text, RUN_STATES[name].sign, counts.get(name, 0)) for name, text in names.items()]
    return found


def list_rows(project: Project, wanted: RunFilter) -> tuple[list[RunLine], bool]:
    """List a page of runs, the newest first, and whether more follow."""
    journal = project.memory.journal
    rows = journal.runs(
        wanted.limit + 1,
        wanted.offset,
        wanted.workflow or None,
        status=wanted.status or None,
        text=wanted.text or None,
    )
    shown = rows[: wanted.limit]
    first = journal.first_steps([row.run for row in shown])
    now = time.time()
    return [_build_line(row, first.get(row.run), now) for row in shown], len(rows) > wanted.limit


def _build_line(row: RunRow, first: StepRow | None, now: float) -> RunLine:
    head = row.document
    tokens, budget = head.get("tokens"), head.get("budget")
    return RunLine(
        run=row.run,
        workflow=row.workflow,
        state=describe_run_state(head),
        question=find_question(first),
        phase=_find_place(head),
        steps=row.steps,
        tokens=describe_tokens(tokens, budget),
        over_budget=bool(budget and tokens and tokens > budget),
        updated_at=row.updated_at,
        ago=describe_moment(row.updated_at, now),
    )


def _find_place(head: Mapping[str, Any]) -> str:
    """Find the phase that comes next, or the one that waits for its answer."""
    following = head.get("next")
    return str((following if following != CONTINUE else head.get("phase")) or "")


def find_question(first: StepRow | None, most: int = _MAX_QUESTION) -> str:
    """Find what a run is about: the text that its first step was given."""
    inputs: Mapping[str, Any] = first.document.get("inputs") or {} if first is not None else {}
    texts: Sequence[str] = [value for value in inputs.values() if isinstance(value, str) and value]
    text = inputs.get("query") if isinstance(inputs.get("query"), str) else next(iter(texts), "")
    line = " ".join(mask_secrets(str(text)[: 4 * most].encode("utf-8", "replace").decode()).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def describe_tokens(tokens: int | None, budget: int | None) -> str:
    """Describe the cost of a run; empty when it is not known."""
    if tokens is None:
        return ""
    return f"{tokens:,} of {budget:,}" if budget else f"{tokens:,}"
