"""`pattern.record`: store a successful run for similar questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.faults.secrets import mask_secrets
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.reasoning.decomposition import Subgoal

from .collect import truncate_text
from .model import TaskResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.tools.core import Context


class Weights(StrictModel):
    """Weights of the success score's parts; an unknown part is left out."""

    confidence: float = Field(ge=0)
    done: float = Field(ge=0)
    verified: float = Field(ge=0)


class Params(StrictModel):
    """All settings of `pattern.record`; see the comments in the workflow."""

    weights: Weights
    pattern_from: float = Field(ge=0, le=1)
    cached_from: float = Field(ge=0, le=1)
    gist_chars: int = Field(ge=50)


class FinishedRun(StrictModel):
    """Finished run; `response` is the answer, `verified` the decomposition's score (0..1)."""

    query: str = Field(min_length=1, max_length=8000)
    goal: str = Field(default="", max_length=500)
    subgoals: tuple[Subgoal, ...] = Field(default=(), max_length=20)
    response: str = Field(min_length=1, max_length=12_000)
    citations: tuple[str, ...] = Field(default=(), max_length=50)
    confidence: float = Field(default=0.5, ge=0, le=1)
    results: tuple[TaskResult, ...] = Field(default=(), max_length=20)
    verified: float | None = Field(default=None, ge=0, le=1)


class RecordOutput(StrictModel):
    """Success score (0..1), and the stored record with its kind and id."""

    success: float
    kind: Literal["pattern", "cached"] | None
    id: str | None
    created: bool
    note: str


def record_pattern(given: FinishedRun, context: Context) -> RecordOutput:
    """Store the run when it was a success.

    Raises:
        Fault: INVALID_INPUT for citations of chunks that do not exist, each by name.
    """
    params: Params = context.params
    citations = _resolve_merged(given.citations, context)
    paths = _find_cited_paths(citations, context)
    success = round(_score_success(given, params.weights), 3)
    kind = _choose_kind(success, params)
    if kind is None:
        note = f"Not stored: a success of {success} is below {params.cached_from}."
        return RecordOutput(success=success, kind=None, id=None, created=False, note=note)
    title = truncate_text(" ".join(mask_secrets(given.goal or given.query).split()), 120)
    name, created = context.project.memory.remember(
        type="reas",
        kind=kind,
        symbol=title,
        text=mask_secrets(_compose_text(given, paths, params.gist_chars)),
        metadata={"query": mask_secrets(given.query), "success": success, "citations": citations},
    )
    what = "reasoning pattern" if kind == "pattern" else "cached result"
    note = f"Stored as a {what}." if created else f"This {what} was stored before."
    return RecordOutput(success=success, kind=kind, id=name, created=created, note=note)


def _resolve_merged(citations: Sequence[str], context: Context) -> list[str]:
    """Replace citations of merged records by the record that is left."""
    memory = context.project.memory
    heirs = memory.map_merged_ids(citations) if citations else {}
    return list(dict.fromkeys(heirs.get(name, name) for name in citations))


def _find_cited_paths(citations: Sequence[str], context: Context) -> tuple[str, ...]:
    """Find the files of the citations."""
    if not citations:
        return ()
    memory = context.project.memory
    if missing := memory.find_missing(citations):
        shown = ", ".join(f'"{name[:80]}"' for name in missing)
        raise Fault(
            Code.INVALID_INPUT,
            f"the answer cites {shown}, which the memory does not contain",
            help="Cite only ids that retrieve, aurora_search or aurora_get returned, or leave citations empty.",
            details={"missing": [name[:80] for name in missing]},
        )
    return tuple(dict.fromkeys(chunk.path for chunk in memory.get(citations) if chunk.path))


def _score_success(given: FinishedRun, weights: Weights) -> float:
    parts = [(weights.confidence, given.confidence)]
    if given.results:
        parts.append((weights.done, sum(one.status == "done" for one in given.results) / len(given.results)))
    if given.verified is not None:
        parts.append((weights.verified, given.verified))
    whole = sum(weight for weight, _ in parts)
    return sum(weight * value for weight, value in parts) / whole if whole else 0.0


def _choose_kind(success: float, params: Params) -> Literal["pattern", "cached"] | None:
    if success >= params.pattern_from:
        return "pattern"
    return "cached" if success >= params.cached_from else None


def _compose_text(given: FinishedRun, paths: Sequence[str], gist: int) -> str:
    """Compose the record from the words that a similar question contains."""
    lines = [f"Question: {given.query}"]
    if given.goal:
        lines.append(f"Goal: {given.goal}")
    if given.subgoals:
        lines += ["Subgoals:", *(f"- {subgoal.description}" for subgoal in given.subgoals)]
    lines.append(f"Answer: {truncate_text(given.response, gist)}")
    if paths:
        lines.append(f"Files: {', '.join(paths)}")
    return "\n".join(lines)


TOOL = Tool(
    name="pattern.record",
    title="Record a pattern",
    description=(
        "Store a finished run as a reasoning pattern or a cached result when its success score is high enough, so "
        "that similar questions find it. A repeated run is stored once; an unknown citation is rejected by name."
    ),
    input=FinishedRun,
    output=RecordOutput,
    run=record_pattern,
    family="reasoning",
    risk="write",
    idempotent=True,
    timeout=15,
    phases=True,
    examples=(
        Example(
            "an answer that is too uncertain to store",
            {"query": "How does the parser report errors?", "response": "Perhaps by raising.", "confidence": 0.2},
            {
                "weights": {"confidence": 0.4, "done": 0.4, "verified": 0.2},
                "pattern_from": 0.8,
                "cached_from": 0.5,
                "gist_chars": 1500,
            },
        ),
    ),
    params=Params,
)
