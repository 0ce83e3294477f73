"""mem.import: what an export holds, taken over whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ImportInput(StrictModel):
    """Where from: a file, or the lines themselves."""

    path: str | None = Field(default=None, min_length=1, max_length=4096, description="The file to read.")
    text: str | None = Field(default=None, min_length=1, description="The lines themselves, instead of a file.")

    @model_validator(mode="after")
    def _check_exclusive(self) -> ImportInput:
        if (self.path is None) == (self.text is None):
            raise ValueError("give either path or text")
        return self


class ImportOutput(StrictModel):
    """What was taken over; what is `known` was there already.

    `differing` are runs that say something else here; they were left alone. `passed_over` counts chunks of files, which
    an indexing makes. `backup` is the backup made before, when anything was changed.
    """

    records: int
    records_known: int
    runs: int
    runs_known: int
    differing: tuple[str, ...]
    accesses: int
    passed_over: int
    backup: str | None


def import_memory(given: ImportInput, context: Context) -> ImportOutput:
    """Check every line, then take all of them over.

    Raises:
        Fault: INVALID_INPUT with each wrong line, CONFLICT for a newer version; nothing is imported then.
    """
    from aurora.memory.records.exchange import import_records as take_over  # noqa: PLC0415 - as above
    from aurora.memory.records.exchange import read_lines  # noqa: PLC0415 - listing tools must not pay for SQLite

    if given.path is not None:
        said, name = read_lines(context.root / given.path), f'"{Path(given.path).name}"'
    else:
        said, name = iter((given.text or "").encode("utf-8", "replace").split(b"\n")), "the text"
    done = take_over(context.project.memory.store, said, name)
    return ImportOutput(
        records=done.records,
        records_known=done.records_known,
        runs=done.runs,
        runs_known=done.runs_known,
        differing=done.differing,
        accesses=done.accesses,
        passed_over=done.passed_over,
        backup=done.backup,
    )


TOOL = Tool(
    name="mem.import",
    title="Import an export",
    description=(
        "Take over what `aur mem export` wrote: every line is checked first and all wrong ones are told, then all of "
        "it enters at once. What is known already stays as it is, so that the same import twice changes nothing. The "
        "memory is backed up before, and `aur mem undo` takes the import back."
    ),
    input=ImportInput,
    output=ImportOutput,
    run=import_memory,
    family="knowledge",
    risk="high",
    idempotent=True,
    timeout=600.0,
    examples=(Example("An export of nothing", {"text": '{"aurora":"memory","version":1}'}),),
    mcp="aurora_mem_import",
    command=Command(
        "mem import", "Import exported JSON lines.", arguments=("path",), files=("path",), stdin_file="path"
    ),
)
