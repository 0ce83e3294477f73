"""Tool `logs.list`: the logged calls of a project, the newest first."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pydantic import Field, ValidationError

from aurora.memory import search
from aurora.memory.files import DATA_FOLDER
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Surface, Tool, resolve_alias
from aurora.tools.runtime import (
    KEPT_FILES,
    MAX_FILE_BYTES,
    list_files,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.tools.core import Context

CallStatus = Literal[
    "ok",
    "error",
    "INVALID_INPUT",
    "NOT_FOUND",
    "CONFLICT",
    "UNAUTHORIZED",
    "FORBIDDEN",
    "TIMEOUT",
    "RATE_LIMITED",
    "UPSTREAM_ERROR",
    "WORKFLOW_ERROR",
    "INTERNAL_ERROR",
]


class LogsInput(StrictModel):
    """Filter of the log."""

    tool: str | None = Field(
        default=None, min_length=1, max_length=200, description="Only this tool, by name or alias."
    )
    status: CallStatus | None = Field(default=None, description="Only ok, only error, or only one code.")
    since: str | None = Field(
        default=None, min_length=1, max_length=80, description='Only calls since: "2026-01-31", "90m", "12h", "3d".'
    )
    limit: int = Field(default=50, ge=1, le=1000, description="Maximum number of calls, the newest first.")


class LoggedCall(CompactModel):
    """Logged call, without its arguments."""

    time: str = Field(description="Time of its end, ISO 8601, UTC.")
    tool: str
    surface: Surface
    status: Literal["ok", "error"]
    code: str | None = None
    duration_ms: float
    request_id: str


class LogsOutput(CompactModel):
    """Logged calls, the newest first."""

    calls: tuple[LoggedCall, ...]
    note: str = ""


def list_calls(given: LogsInput, context: Context) -> LogsOutput:
    """List the logged calls.

    Raises:
        Fault: INVALID_INPUT if `since` is neither a time nor an age.
    """
    since = search.parse_moment(given.since) / 1e9 if given.since else None
    tool = resolve_alias(given.tool) if given.tool else None
    found: list[LoggedCall] = []
    torn = 0
    for call in _read_newest_first(context.root):
        if call is None:
            torn += 1
            continue
        # The calls come newest first, so all that follow are older.
        if since is not None and datetime.fromisoformat(call.time).timestamp() < since:
            break
        if tool in (None, call.tool) and given.status in (None, call.status, call.code):
            found.append(call)
        if len(found) == given.limit:
            break
    note = "" if found else _explain_empty(context.root)
    if torn:
        note = f"{note} {_describe_torn_lines(torn)}"
    return LogsOutput(calls=tuple(found), note=note.strip())


def _describe_torn_lines(count: int) -> str:
    if count == 1:
        return "1 line of the log cannot be read and is left out."
    return f"{count} lines of the log cannot be read and are left out."


def _read_newest_first(root: Path) -> Iterator[LoggedCall | None]:
    """Yield the calls of all files; None for a line that is torn or foreign."""
    for path in list_files(root):
        try:
            with path.open("rb") as file:
                data = file.read(2 * MAX_FILE_BYTES)  # a larger file was written by another program
        except OSError:
            continue
        # Skip empty lines: `append_line` adds a line break after a line that looks torn.
        for line in filter(None, reversed(data.splitlines())):
            try:
                # Any program can write to the file, so a line may be JSON of any form, or have a time that no clock
                # shows.
                call = LoggedCall.model_validate_json(line)
                datetime.fromisoformat(call.time).timestamp()
            except (ValidationError, ValueError, OverflowError, OSError):
                yield None
                continue
            yield call


def _explain_empty(root: Path) -> str:
    if not (root / DATA_FOLDER).is_dir():
        return f"This project has no {DATA_FOLDER} yet, and so no log: `aur init` or `aur mem index` creates it."
    if next(list_files(root), None) is None:
        return "No call has been logged yet."
    return "No logged call matches."


TOOL = Tool(
    name="logs.list",
    title="List the logged calls",
    description=(
        "The calls in this project on every surface: time, tool, origin, duration and error code. Arguments are never "
        "logged."
    ),
    input=LogsInput,
    output=LogsOutput,
    run=list_calls,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("Errors of the last day", {"status": "error", "since": "24h"}),),
    mcp="aurora_logs_list",
    command=Command("logs", "List the logged calls of this project."),
    constraints=(
        f"At most {KEPT_FILES + 1} files of {MAX_FILE_BYTES // 1_000_000} MB are kept; older calls are deleted.",
    ),
)
