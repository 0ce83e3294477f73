"""`mem.export`: facts, patterns, accesses and runs as JSON lines, byte-stable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults.paths import create_folder_inside
from aurora.memory import records
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool

from .places import EXPORTS_FOLDER, locate_export, prefer_exports_folder

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ExportInput(StrictModel):
    """Target file, and the extent of the export."""

    path: str | None = Field(
        default=None,
        min_length=1,
        max_length=4096,
        description=f"The .jsonl file to write, a bare name in {EXPORTS_FOLDER}; by default the lines are returned.",
    )
    all: bool = Field(default=False, description="Export the chunks of files too; an import skips them.")


class WithheldRow(StrictModel):
    """Record or run that contains a secret, with the rule that matched."""

    id: str
    rule: str


class ExportOutput(StrictModel):
    """Exported lines counted by kind; `text` has them when there is no file."""

    path: str | None
    counts: dict[str, int]
    withheld: tuple[WithheldRow, ...]
    text: str | None


def export_memory(given: ExportInput, context: Context) -> ExportOutput:
    """Export the memory as JSON lines.

    Raises:
        Fault: NOT_FOUND without a memory; FORBIDDEN for a file outside the project, except from a terminal, and for
            one that other programs use; faults of writing the file.
    """
    context.require_memory()
    opened = context.project.memory
    exported = records.export_records(opened.shared_store, code=given.all, index=opened.store)
    target = None
    if given.path:
        target, contained = locate_export(prefer_exports_folder(given.path, context), context)
        if target.parent == context.root / EXPORTS_FOLDER:
            create_folder_inside(context.root, EXPORTS_FOLDER)
        records.write_export(target, exported.to_text(), contained)
    return ExportOutput(
        path=str(target) if target else None,
        counts=exported.counts,
        withheld=tuple(WithheldRow(id=one.id, rule=one.rule) for one in exported.withheld),
        text=None if target else exported.to_text(),
    )


TOOL = Tool(
    name="mem.export",
    title="Export the memory",
    description=(
        "Export as JSON lines what the project's files do not contain: facts, patterns, their accesses, and all runs. "
        "The same memory always gives the same bytes. A record or run with a secret is withheld and reported."
    ),
    input=ExportInput,
    output=ExportOutput,
    run=export_memory,
    family="knowledge",
    risk="write",
    idempotent=True,
    timeout=600.0,
    jobs=True,
    aliases=(Alias("ag_export"),),
    examples=(
        Example("Everything but the files' chunks", {}),
        Example("Into a file", {"path": f"{EXPORTS_FOLDER}/memory.jsonl"}),
    ),
    writes_with=("path",),
    constraints=(
        f"A name without a folder is a file in {EXPORTS_FOLDER}; in a terminal, one in the current folder.",
        "It overwrites an existing file only when that is an export.",
        "A path outside the project is FORBIDDEN, except in a terminal; so are hidden files, and those of assistants.",
    ),
    mcp="aurora_mem_export",
    command=Command(
        "mem export",
        "Export facts, patterns and runs as JSON lines.",
        arguments=("path",),
        files=("path",),
        stdout_file="path",
        argument_help={
            "path": "The .jsonl file to write, relative to this folder; by default the lines are printed. "
            "Over MCP, a bare name is a file in .aurora/exports."
        },
    ),
)
