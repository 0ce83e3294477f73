"""The list of runs: those that wait for the person first, with their states."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.model import CONTINUE
from aurora.system.secrets.masks import mask_secrets

from .gate import list_gates
from .live import stamp_list
from .request import read_count, read_text
from .response import describe_moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.responses import Response

    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project

    from .request import PageRequest


_STATES = {"", "waiting", "open", "ended", "failed"}
_PAGE = 50


def list_runs(page: PageRequest) -> Response:
    """List the runs of a project."""
    status = read_text(page.query, "status")
    wanted = RunFilter(
        status=status if status in _STATES else "",
        workflow=read_text(page.query, "workflow"),
        text=read_text(page.query, "text"),
        offset=read_count(page.query, "offset"),
        limit=_PAGE,
    )
    journal = page.project.memory.journal
    is_first = not (wanted.status or wanted.text or wanted.workflow or wanted.offset)
    since = stamp_list(journal) if is_first else ""  # before the rows, so that no change is missed
    counts = journal.count_states()
    rows, more = list_rows(page.project, wanted)
    gates = list_gates(page.project) if is_first and counts.get("waiting") else []
    chosen = {"status": wanted.status, "workflow": wanted.workflow, "text": wanted.text}
    return page.render(
        "runs.html",
        tab="runs",
        title="Runs",
        rows=rows,
        gates=gates,
        states=[(one, page.link("runs", **{**chosen, "status": one.value})) for one in describe_states(counts)],
        chosen=chosen,
        total=sum(counts.values()),
        offset=wanted.offset,
        newer=page.link("runs", **chosen, offset=max(wanted.offset - _PAGE, 0)) if wanted.offset else "",
        older=page.link("runs", **chosen, offset=wanted.offset + _PAGE) if more else "",
        live=page.link("live", since=since) if is_first else "",
    )


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
    # One more than is shown tells whether others follow, without a count.
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
    # A question may be of any size. The first cut is far behind the second, so a secret that it divides is not on the
    # line.
    line = " ".join(mask_secrets(str(text)[: 4 * most].encode("utf-8", "replace").decode()).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def describe_tokens(tokens: int | None, budget: int | None) -> str:
    """Describe the cost of a run; empty when it is not known."""
    if tokens is None:
        return ""
    return f"{tokens:,} of {budget:,}" if budget else f"{tokens:,}"


@dataclass(frozen=True, slots=True)
class State:
    """State as the page shows it; the sign has a shape of its own, so that no colour is needed."""

    name: str
    text: str
    sign: str


RUN_STATES = {
    "waiting": State("waiting", "waits for you", "◆"),
    "open": State("open", "open", "◐"),
    "ended": State("ended", "ended", "✓"),
    "failed": State("failed", "failed", "✕"),
    "damaged": State("failed", "damaged", "!"),
    "begun": State("open", "begun", "○"),
}
STOPPED = frozenset({"partial", "stopped"})
"""What a run reached that ended without a whole answer; so does a word that begins with `not_`."""
STEP_STATES = {
    "complete": State("ended", "complete", "✓"),
    "error": State("failed", "failed", "✕"),
    "skipped": State("skipped", "skipped", "»"),
    "waiting": State("waiting", "waits for you", "◆"),
    "approved": State("ended", "approved", "✓"),
    "asking": State("open", "waits for the assistant's answer", "◐"),
    "declined": State("failed", "declined", "✕"),
}


def describe_run_state(head: Mapping[str, Any]) -> State:
    """Describe the state of a run: of one that reached no whole answer, by its own word."""
    status = str(head.get("status", "open"))
    if status == "ended" and (stopped := _describe_outcome(head.get("outcome"))):
        return stopped
    return RUN_STATES.get(status, State("open", status[:20], "○"))


def describe_step_state(status: object, result: object = None) -> State:
    """Describe the state of a step, whose result may tell that no whole answer was reached."""
    if status == "complete" and isinstance(result, dict) and (stopped := _describe_outcome(result.get("status"))):
        return stopped
    return STEP_STATES.get(str(status), State("open", str(status)[:20], "○"))


def _describe_outcome(outcome: object) -> State | None:
    """Describe what was reached, where it is not what was wanted."""
    if not isinstance(outcome, str) or not (outcome in STOPPED or outcome.startswith("not_")):
        return None
    return State("stopped", outcome.replace("_", " ")[:40], "■")
