"""One run: its answer, the workflow as it was walked, the timeline, and the chosen step."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.tools import runs

from .gate import find_gate
from .live import stamp_run
from .request import read_count
from .response import describe_duration, describe_moment, make_text
from .run_list import State, describe_run_state, describe_step_state, describe_tokens, find_question
from .run_panel import build_panel, list_values, resolve_choice
from .test_case import render_case
from .workflows import MAX_DRAWING, draw_run, fits_screen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markdown_it import MarkdownIt
    from starlette.responses import Response

    from aurora.memory import RunRow, StepRow

    from .request import PageRequest


_GOING_ON = frozenset({"open", "waiting", "begun"})
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_TEXT = 5_000_000
"""Characters of a value as plain text."""
_MAX_CASE = 40_000
"""Characters of a test case on its page; its plain text has all."""


def _find_run(page: PageRequest) -> RunRow:
    run = runs.resolve_run_id(page.project, page.request.path_params["run"][:80])
    row = page.project.memory.journal.head(run)
    if row is None:
        raise Fault(Code.NOT_FOUND, f'there is no run "{run}"', help="The list of runs shows those of this project.")
    return row


def show_run(page: PageRequest) -> Response:
    """Show one run: the walked workflow, the timeline, and the panel of the chosen step."""
    row = _find_run(page)
    steps = page.project.memory.journal.steps(row.run)
    step = read_count(page.query, "step")
    definition, notes = runs.find_run_workflow(page.project, row)
    choice = resolve_choice(page.query, steps, step, definition)
    # The drawing shows the run as it was at the chosen step.
    drawn = steps[:step] if step else steps
    drawing = ""
    if definition is not None:
        drawing = draw_run(page, definition, row, drawn, (choice.phase, choice.way))
        # A workflow of a clone may have any number of phases, and no page of a run may be large.
        if len(drawing) > MAX_DRAWING:
            drawing, notes = "", [*notes, "The workflow is too large to be drawn here; `aur workflow graph` draws it."]
    head: dict[str, Any] = dict(row.document)
    now = time.time()
    seq = choice.step
    return page.render(
        "run.html",
        tab="runs",
        title=find_question(steps[0] if steps else None, 400) or row.run,
        row=row,
        state_of_run=describe_run_state(head),
        workflow=f"{head.get('workflow', row.workflow)}@{head.get('version', '?')}",
        workflow_link=page.link("workflows", str(head.get("workflow", row.workflow))),
        workflow_title=definition.workflow.title if definition is not None else "",
        branch=str((head.get("origin") or {}).get("branch", "")),
        forked_from=str(head.get("forked_from") or ""),
        began=describe_moment(row.created_at, now),
        changed=describe_moment(row.updated_at, now),
        tokens=describe_tokens(head.get("tokens"), head.get("budget")),
        notes=notes,
        drawing=drawing,
        fits=fits_screen(drawing),
        panel=build_panel(page, row, steps, choice, definition),
        timeline=build_timeline(steps, seq),
        chosen_step=seq,
        is_past=bool(step) and step < len(steps),
        previous=page.link("runs", row.run, step=seq - 1) if seq > 1 else "",
        following=page.link("runs", row.run, step=seq + 1) if 0 < seq < len(steps) else "",
        **_describe_position(page, row, steps),
        here=page.link("runs", row.run),
    )


def _describe_position(page: PageRequest, row: RunRow, steps: Sequence[StepRow]) -> dict[str, Any]:
    """Describe what a run has reached: its answer, the question to the person, or what it waits for."""
    status = row.document.get("status", "open")
    wait = runs.find_wait(page.project, row.workflow, steps[-1].document) if steps else None
    return {
        "wait": runs.describe_wait(wait.model_dump()) if wait is not None else "",
        "next_phase": str(row.document.get("next") or "") if status == "open" and wait is None else "",
        "answer": find_answer(page, steps) if status == "ended" else None,
        "gate_of_run": find_gate(page.project, row.run) if status == "waiting" else None,
        "live": page.link("live", run=row.run, since=stamp_run(row)) if status in _GOING_ON else "",
    }


def show_value(page: PageRequest) -> Response:
    """Show one value of a step as plain text, whole."""
    row = _find_run(page)
    steps = page.project.memory.journal.steps(row.run)
    seq, part = page.request.path_params["step"], page.request.path_params["part"]
    if not 1 <= seq <= len(steps):
        raise Fault(Code.NOT_FOUND, f'run "{row.run}" has no step {seq}', help="Its page lists its steps.")
    shown = runs.describe_step(steps, seq - 1)
    values = list_values(shown, steps[seq - 1].document)
    if part not in values:
        raise Fault(Code.NOT_FOUND, "a step has no such part", help=f"It has {', '.join(values)}.")
    return make_text(page.hide_paths(runs.format_value(values[part], _MAX_TEXT)))


def export_page(page: PageRequest) -> Response:
    """Send the run as a page in one file."""
    row = _find_run(page)
    output = runs.export_run(runs.ExportRunInput(run=row.run), page.context)
    return make_text(page.hide_paths(output.text), "text/html", f"run-{_UNSAFE.sub('-', row.run)}.html")


def show_case(page: PageRequest) -> Response:
    """Show the run as a test case of its workflow."""
    row = _find_run(page)
    steps = page.project.memory.journal.steps(row.run)
    # The plain text is whole; the page ends with what it shows, since writing 900 steps took more than a second.
    if page.query.get("as") == "text":
        return make_text(page.hide_paths(render_case(page.project, row, steps)))
    case = render_case(page.project, row, steps, _MAX_CASE)
    return page.render(
        "case.html",
        tab="runs",
        title="Copy as a test case",
        row=row,
        case=case[:_MAX_CASE],
        is_cut=len(case) > _MAX_CASE,
        file=f".aurora/workflows/tests/{row.document.get('workflow', row.workflow)}.yaml",
        command=f"aur workflow test {row.document.get('workflow', row.workflow)}",
        here=page.link("runs", row.run),
    )


_MAX_CHARACTERS = 40_000
_MAX_CITATIONS = 50
_CHUNK = re.compile(r"(code|know|reas):[0-9a-f]{6,40}")
_TEXTS = ("response", "answer", "text")
"""Fields of an answer, an input or a result that may have the text, the first that does."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Citation of an answer, with the page of what it names."""

    text: str
    link: str


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """Answer of a run: safe HTML, and what it cites."""

    html: str
    citations: Sequence[Citation]


def find_answer(page: PageRequest, steps: Sequence[StepRow]) -> RunAnswer | None:
    """Find the answer of an ended run: the text that its last step with one gave, took in, or made."""
    for step in reversed(steps):
        for source in _list_sources(step.document):
            text = source if isinstance(source, str) else next(_iter_texts(source), "")
            if text.strip():
                cited = source.get("citations") if isinstance(source, dict) else None
                return RunAnswer(render_markdown(runs.format_value(text, _MAX_CHARACTERS)), _link_all(page, cited))
    return None


def _list_sources(document: Mapping[str, Any]) -> list[Any]:
    """List what may contain an answer: the inputs of a step, the answer that it brought, its result."""
    brought = document.get("brought") or ()
    return [document.get("inputs"), *brought[:1], document.get("result")]


def _iter_texts(source: Any) -> Iterator[str]:
    if isinstance(source, dict):
        yield from (source[name] for name in _TEXTS if isinstance(source.get(name), str))


def _link_all(page: PageRequest, citations: Any) -> Sequence[Citation]:
    """Link each citation: a chunk by its id, a place in a file by a search that finds it."""
    found = []
    for one in citations[:_MAX_CITATIONS] if isinstance(citations, list | tuple) else ():
        text = runs.format_value(one, 300)
        chunk = _CHUNK.search(text)
        link = page.link("memory", "chunk", id=chunk[0]) if chunk else page.link("memory", q=text)
        found.append(Citation(text, link))
    return found


def render_markdown(text: str) -> str:
    """Render Markdown without HTML of its own, without images, and with links to other sites only as text."""
    return str(_load_parser().render(text))


@cache
def _load_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only the page of a run with an answer loads it

    # An answer may repeat what a file of a clone says, so it may load nothing and lead nowhere.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "html_inline", "html_block"])
    parser.validateLink = _is_on_page  # type: ignore[method-assign] # as its documentation says
    return parser


def _is_on_page(url: str) -> bool:
    return url.startswith("#")


_SHOWN = 100
"""Steps of one page of a timeline."""
_THOUGHT = 0.5
"""Seconds between two steps from which on the time is shown."""


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Step in the timeline.

    Attributes:
        seq: its number.
        phase: its phase.
        kind: what it records besides a phase, as `answer`.
        state: its state.
        waited: the time before it, in which the assistant or the person thought; empty for none.
        took: the time that the phase took.
        asks: `prompt`, `person`, or empty.
    """

    seq: int
    phase: str
    kind: str
    state: State
    waited: str
    took: str
    asks: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Page of a timeline, with the steps before and after it.

    Attributes:
        entries: its steps.
        earlier: the number of steps before them.
        later: the number of steps after them.
        worked: the time that all steps of the run took together.
        whole: the time from the beginning of the first to the end of the last.
    """

    entries: Sequence[TimelineEntry]
    earlier: int
    later: int
    worked: str
    whole: str


def build_timeline(steps: Sequence[StepRow], chosen: int) -> Timeline:
    """Build the part of the timeline around a step, or the last part without one."""
    at = (chosen or len(steps)) - 1
    # Around the chosen step, moved inwards at both ends so that the page is full.
    first = max(min(at - _SHOWN // 2, len(steps) - _SHOWN), 0)
    last = min(first + _SHOWN, len(steps))
    entries = [_build_entry(steps, n) for n in range(first, last)]
    worked = sum(_read_duration(step.document) or 0.0 for step in steps)
    whole = _read_seconds(steps[-1]) - _read_seconds(steps[0]) if steps else 0.0
    # A step is dated at its end, so the time of the first one is missing from the difference.
    whole += (_read_duration(steps[0].document) or 0.0) if steps else 0.0
    return Timeline(
        entries,
        first,
        len(steps) - last,
        describe_duration(worked) if worked > 0 else "",
        describe_duration(whole) if whole > worked + _THOUGHT else "",
    )


def _build_entry(steps: Sequence[StepRow], at: int) -> TimelineEntry:
    step, before = steps[at], steps[at - 1] if at else None
    kept: Mapping[str, Any] = step.document
    took = _read_duration(kept)
    waited = _read_seconds(step) - _read_seconds(before) - (took or 0.0) if before else 0.0
    asks = "" if kept.get("asks") is None else "person" if kept.get("status") == "waiting" else "prompt"
    return TimelineEntry(
        seq=step.seq,
        phase=step.phase,
        kind="" if kept.get("kind") in (None, "phase") else str(kept["kind"]),
        state=describe_step_state(_read_state(steps, at), kept.get("result")),
        waited=describe_duration(waited) if waited > _THOUGHT else "",
        took="" if took is None else describe_duration(took),
        asks=asks,
    )


def _read_state(steps: Sequence[StepRow], at: int) -> str:
    """Read the state of a step; of one that asks, whether it was answered, and how."""
    kept: Mapping[str, Any] = steps[at].document
    status = str(kept.get("status", ""))
    # Only the last step can still wait; what any other asked is told by the step after it.
    if at == len(steps) - 1:
        return "asking" if status == "complete" and kept.get("holds") else status
    answer: Mapping[str, Any] = steps[at + 1].document
    if status != "waiting" or answer.get("kind") != "answer":
        return status
    return "declined" if answer.get("status") == "declined" else "approved"


def _read_duration(kept: Mapping[str, Any]) -> float | None:
    """Read the seconds that a step took; None when its record does not say so."""
    duration = ((kept.get("response") or {}).get("metadata") or {}).get("duration_ms")
    return duration / 1000 if isinstance(duration, int | float) else None


def _read_seconds(step: StepRow) -> float:
    at = step.document.get("at")
    return float(at) if isinstance(at, int | float) else 0.0
