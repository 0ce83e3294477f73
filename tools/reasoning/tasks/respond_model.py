"""What the end of a run is rendered from, and what it becomes."""

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
    """All settings of `answer.respond`; see the comments in the workflow."""

    max_chars: int = Field(ge=500)
    result_chars: int = Field(ge=50)
    doubtful_below: float = Field(ge=0, le=1)
    way_out: str


class Failure(StrictModel):
    """The error that a phase ended in."""

    code: str
    message: str
    help: str = ""
    details: dict[str, Json] = Field(default_factory=dict)


class RunOutcome(StrictModel):
    """All that a run may have by its end; each part may be missing.

    Attributes:
        response: the answer; citations: ids of the chunks that it rests on; confidence: the host's own, 0..1.
        chunks: what was retrieved; results: of the tasks.
        reached: the phases that the run went through, in order; error: what the last failing one said.
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
    """A chunk that the answer rests on, and where it stands when that is known."""

    id: str
    path: str | None
    lines: str | None
    symbol: str


class Response(StrictModel):
    """The end of a run: markdown in `text`, or with verbosity json the `document`."""

    status: Status
    verbosity: Verbosity
    text: str
    document: dict[str, Json] | None
