"""logs.list: the invocations that the project has logged, the newest first."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pydantic import Field, ValidationError

from aurora.memory.files import DATA_FOLDER
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool, resolve_alias
from aurora.tools.runtime import (
    KEPT_FILES,
    MAX_FILE_BYTES,
    Surface,
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
    "INTERNAL_ERROR",
]


class LogsInput(StrictModel):
    """Which of them."""

    tool: str | None = Field(
        default=None, min_length=1, max_length=200, description="Only this tool, by name or alias."
    )
    status: CallStatus | None = Field(default=None, description="Only ok, only error, or only one code.")
    since: str | None = Field(
        default=None, min_length=1, max_length=80, description='Only since then: "2026-01-31", "90m", "12h", "3d".'
    )
    limit: int = Field(default=50, ge=1, le=1000, description="How many lines, the newest first.")


class LoggedCall(CompactModel):
    """One invocation; it holds no argument of the call."""

    time: str = Field(description="When it ended, ISO 8601, UTC.")
    tool: str
    surface: Surface
    status: Literal["ok", "error"]
    code: str | None = None
    duration_ms: float
    request_id: str


class LogsOutput(CompactModel):
    """The invocations, the newest first."""

    calls: tuple[LoggedCall, ...]
    note: str = ""


def list_calls(given: LogsInput, context: Context) -> LogsOutput:
    """Read the log from its end.

    Raises:
        Fault: INVALID_INPUT when `since` is neither a time nor an age.
    """
    from aurora.memory.search import parse_moment  # noqa: PLC0415 - listing tools must not pay for the memory

    since = parse_moment(given.since) / 1e9 if given.since else None
    tool = resolve_alias(given.tool) if given.tool else None
    found: list[LoggedCall] = []
    torn = 0
    for call in _read_newest_first(context.root):
        if call is None:
            torn += 1
            continue
        if since is not None and datetime.fromisoformat(call.time).timestamp() < since:
            break
        if tool in (None, call.tool) and given.status in (None, call.status, call.code):
            found.append(call)
        if len(found) == given.limit:
            break
    note = "" if found else _explain_empty(context.root)
    if torn:
        lines = (
            f"{torn} lines of the log cannot be read and are" if torn > 1 else "1 line of the log cannot be read and is"
        )
        note = f"{note} {lines} left out."
    return LogsOutput(calls=tuple(found), note=note.strip())


def _read_newest_first(root: Path) -> Iterator[LoggedCall | None]:
    """The lines of all files; None for one that is torn, or that is none of ours."""
    for path in list_files(root):
        try:
            with path.open("rb") as file:
                held = file.read(
                    2 * MAX_FILE_BYTES
                )  # a file is little over LARGEST, unless somebody else has written to it
        except OSError:
            continue
        # An empty line is none: `append` breaks the last line where that looks torn, or is still being written.
        for line in filter(None, reversed(held.splitlines())):
            try:
                call = LoggedCall.model_validate_json(line)
                datetime.fromisoformat(call.time).timestamp()
            except (ValidationError, ValueError, OverflowError, OSError):
                yield None
                continue
            yield call


def _explain_empty(root: Path) -> str:
    if not (root / DATA_FOLDER).is_dir():
        return f"This project has no {DATA_FOLDER} yet, and so no log: `aur init` or `aur mem index` makes it."
    if next(list_files(root), None) is None:
        return "Nothing was logged here yet."
    return "No logged call is like that."


TOOL = Tool(
    name="logs.list",
    title="List the logged calls",
    description=(
        "The calls that were made in this project, on every surface: when, which tool, from where, how long it took, "
        "and the code of what went wrong. No argument is ever logged."
    ),
    input=LogsInput,
    output=LogsOutput,
    run=list_calls,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("What went wrong today", {"status": "error", "since": "24h"}),),
    mcp="aurora_logs_list",
    command=Command("logs", "List the logged calls of this project."),
    constraints=(
        f"At most {KEPT_FILES + 1} files of {MAX_FILE_BYTES // 1_000_000} MB are kept; older calls are gone.",
    ),
)
