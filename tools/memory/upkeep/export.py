"""mem.export: facts, patterns, accesses and runs as JSON lines, the same memory always the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ExportInput(StrictModel):
    """Where to, and how much."""

    path: str | None = Field(
        default=None, min_length=1, max_length=4096, description="The file to write; as the output without."
    )
    all: bool = Field(default=False, description="The chunks of files too, which an import passes over.")


class WithheldRow(StrictModel):
    """A record or run that holds a secret, and which rule saw it."""

    id: str
    rule: str


class ExportOutput(StrictModel):
    """What was exported, counted by kind of record; `text` are the lines when no file was named."""

    path: str | None
    counts: dict[str, int]
    withheld: tuple[WithheldRow, ...]
    text: str | None


def export_memory(given: ExportInput, context: Context) -> ExportOutput:
    """Write the lines.

    Raises:
        Fault: NOT_FOUND without a memory, and those of the file.
    """
    from aurora.memory import database_path  # noqa: PLC0415 - listing tools must not pay for SQLite
    from aurora.memory.records.exchange import export_records as tell  # noqa: PLC0415 - as above
    from aurora.memory.records.exchange import write_export  # noqa: PLC0415 - as above

    database = database_path(context.root)
    if not database.exists():
        raise Fault(
            Code.NOT_FOUND,
            f'there is no memory at "{database}" yet',
            help="run `aur mem index` or `aur mem add` first",
            details={"path": str(database)},
        )
    told = tell(context.project.memory.store, code=given.all)
    target = context.root / Path(given.path) if given.path else None
    if target:
        write_export(target, told.to_text())
    return ExportOutput(
        path=str(target) if target else None,
        counts=told.counts,
        withheld=tuple(WithheldRow(id=one.id, rule=one.rule) for one in told.withheld),
        text=None if target else told.to_text(),
    )


TOOL = Tool(
    name="mem.export",
    title="Export the memory",
    description=(
        "Write what no file holds as JSON lines: facts, patterns, when each was used, and all runs. The same memory "
        "always gives the same bytes. A record or run that holds a secret is withheld, and told."
    ),
    input=ExportInput,
    output=ExportOutput,
    run=export_memory,
    family="knowledge",
    risk="write",
    idempotent=True,
    timeout=600.0,
    examples=(Example("All that no file holds", {}), Example("Into a file", {"path": "memory.jsonl"})),
    writes_with=("path",),
    constraints=("A file that is there already is only written over when it is an export.",),
    mcp="aurora_mem_export",
    command=Command(
        "mem export",
        "Export facts, patterns and runs as JSON lines.",
        arguments=("path",),
        files=("path",),
        stdout_file="path",
    ),
)
