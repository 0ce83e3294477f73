"""The nine codes with what each means, and the one schema that every refusal has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import Code
from aurora.tools.core import (
    Json,
    StrictModel,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

MEANINGS: Mapping[Code, str] = {
    Code.INVALID_INPUT: "An argument, a document or an answer is not what it must be.",
    Code.NOT_FOUND: "What was named does not exist: a tool, a phase, a chunk, a file, a run.",
    Code.CONFLICT: "It does not fit what is there now: a phase out of turn, a name that may mean several things.",
    Code.UNAUTHORIZED: (
        "Who asks has not said who they are: kept for serving over a network, and nothing answers it yet."
    ),
    Code.FORBIDDEN: "It may not be done here: a tool that writes when read-only, a path outside the project.",
    Code.TIMEOUT: "It took longer than the tool may; nothing is left half done.",
    Code.RATE_LIMITED: "Too many calls at once; the same call is taken a moment later.",
    Code.UPSTREAM_ERROR: "Something that Aurora depends on failed: the disk, the database, a program it starts.",
    Code.INTERNAL_ERROR: "A mistake of Aurora's own.",
}


class ErrorBody(StrictModel):
    """What is wrong, and what would be right."""

    code: Code
    message: str = Field(description="One sentence: what is wrong, names quoted.")
    details: dict[str, Json] = Field(description="Facts for machines: paths of wrong fields, the choices there are.")
    help: str = Field(description="What would be right, or the command that mends it; may be empty.")


class ErrorEnvelope(StrictModel):
    """What every tool answers when it refuses or fails, on every surface."""

    status: Literal["error"]
    error: ErrorBody
