"""Outcome of a run, and the response rendered from it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aurora.tools.core import (
    Json,
    StrictModel,
)
from aurora.tools.memory import FoundChunk
from aurora.tools.reasoning.decomposition import Verification

from .model import TaskResult
from .record_pattern import RecordOutput

Verbosity = Literal["quiet", "normal", "verbose", "json"]
Status = Literal["complete", "partial", "stopped"]


class Params(StrictModel):
    """All settings of `answer.respond`; see the comments in the workflow.

    Attributes:
        repeats_answer: whether the text begins with the answer; without it, the assistant shows its answer itself.
    """

    repeats_answer: bool = True
    max_chars: int = Field(ge=500)
    result_chars: int = Field(ge=50)
    doubtful_below: float = Field(ge=0, le=1)
    way_out: str


class Failure(StrictModel):
    """Error of a failed phase."""

    code: str
    message: str
    help: str = ""
    details: dict[str, Json] = Field(default_factory=dict)


class RunOutcome(StrictModel):
    """Outcome of a run; each part may be missing.

    Attributes:
        response: the answer; citations: ids of the cited chunks; confidence: the host's own, 0..1.
        chunks: retrieved chunks; results: results of the tasks.
        reached: phases of the run in order; error: error of the last failed phase.
    """

    verbosity: Verbosity = "normal"
    query: str = Field(default="", max_length=8000)
    goal: str = Field(default="", max_length=500)
    response: str | None = Field(default=None, max_length=12_000)
    citations: tuple[str, ...] = Field(default=(), max_length=50)
    confidence: float | None = Field(default=None, ge=0, le=1)
    chunks: tuple[FoundChunk, ...] = Field(default=(), max_length=50)
    results: tuple[TaskResult, ...] = Field(default=(), max_length=20)
    verification: Verification | None = None
    recorded: RecordOutput | None = None
    reached: tuple[str, ...] = Field(default=(), max_length=50)
    error: Failure | None = None


class Source(StrictModel):
    """Chunk that the answer cites, with its location when known."""

    id: str
    path: str | None
    lines: str | None
    symbol: str


class Response(StrictModel):
    """Response as Markdown in `text`, or with verbosity json as `document`."""

    status: Status
    verbosity: Verbosity
    text: str
    document: dict[str, Json] | None
