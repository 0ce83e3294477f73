"""`mem.import`: import an export completely or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from aurora.faults.paths import path_exists
from aurora.memory import records
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool

from .places import find_relative_path, prefer_exports_folder

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ImportInput(StrictModel):
    """File to import, or the lines themselves."""

    path: str | None = Field(default=None, min_length=1, max_length=4096, description="The file to read.")
    text: str | None = Field(default=None, min_length=1, description="The lines themselves, instead of a file.")

    @model_validator(mode="after")
    def _check_exclusive(self) -> ImportInput:
        if (self.path is None) == (self.text is None):
            raise ValueError("give either path or text")
        return self


class ImportOutput(StrictModel):
    """Imported records and runs; `*_known` count those that existed already.

    `differing` lists runs that differ from the existing ones, which stay. `passed_over` counts chunks of files, which
    indexing creates. `backup` names the backup made before the first change.
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
    """Check every line, then import all of them.

    Raises:
        Fault: INVALID_INPUT with each wrong line, CONFLICT for a newer version; then nothing is imported. FORBIDDEN
            for a file outside the project, except from a terminal.
    """
    if given.path is not None:
        relative = find_relative_path(_find_in_exports(given.path, context), context)
        source = context.root / (given.path if relative is None else relative)
        lines = records.read_lines(source, None if relative is None else context.root)
        name = f'"{Path(given.path).name}"'
    else:
        lines, name = iter((given.text or "").encode("utf-8", "replace").split(b"\n")), "the text"
    done = records.import_records(context.project.memory.shared_store, lines, name)
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


def _find_in_exports(path: str, context: Context) -> str:
    """Return the place of a bare name among the exports, if it is there and not in the project's folder."""
    place = prefer_exports_folder(path, context)
    return place if not path_exists(context.root / path) and path_exists(context.root / place) else path


TOOL = Tool(
    name="mem.import",
    title="Import an export",
    description=(
        "Import what `aur mem export` wrote: every line is checked first and all wrong ones are reported, then all of "
        "them are added in one transaction. Existing records stay as they are, so the same import twice changes "
        "nothing. The memory is backed up before, and `aur mem undo` undoes the import."
    ),
    input=ImportInput,
    output=ImportOutput,
    run=import_memory,
    family="knowledge",
    risk="high",
    idempotent=True,
    timeout=600.0,
    jobs=True,
    constraints=("A path outside the project is FORBIDDEN, except in a terminal.",),
    aliases=(Alias("ag_import"),),
    examples=(Example("An empty export", {"text": '{"aurora":"memory","version":1}'}),),
    mcp="aurora_mem_import",
    command=Command(
        "mem import", "Import exported JSON lines.", arguments=("path",), files=("path",), stdin_file="path"
    ),
)
