"""Error codes with their meanings, and the schema of an error."""

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
    Code.INVALID_INPUT: "An argument, a document or an answer is invalid.",
    Code.NOT_FOUND: "A named thing does not exist: a tool, a phase, a chunk, a file, a run.",
    Code.CONFLICT: "It conflicts with the current state: a phase out of order, an ambiguous name.",
    Code.UNAUTHORIZED: "The caller is not authenticated: a server over HTTP got no valid token.",
    Code.FORBIDDEN: "It is not allowed here: a tool that writes when read-only, a path outside the project.",
    Code.TIMEOUT: "It exceeded the tool's timeout; no change is left incomplete.",
    Code.RATE_LIMITED: "Too many concurrent calls; send the same call again later.",
    Code.UPSTREAM_ERROR: "A dependency of Aurora failed: the disk, the database, an external program.",
    Code.WORKFLOW_ERROR: "A mistake in the workflow that shows only when it runs.",
    Code.INTERNAL_ERROR: "A bug in Aurora.",
}


class ErrorBody(StrictModel):
    """Body of an error: what is wrong, and what to do."""

    code: Code
    message: str = Field(description="One sentence on what is wrong, with names quoted.")
    details: dict[str, Json] = Field(description="Data for programs: paths of wrong fields, valid choices.")
    help: str = Field(description="What to do, or the command that fixes it; may be empty.")


class ErrorEnvelope(StrictModel):
    """Error that every tool returns on every surface when it refuses or fails."""

    status: Literal["error"]
    error: ErrorBody
