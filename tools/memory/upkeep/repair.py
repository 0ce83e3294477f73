"""mem.repair: the memory made whole again; what is torn is set aside, never deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, Example, StrictModel, Tool

from .check import FindingRow, to_finding_rows

if TYPE_CHECKING:
    from aurora.tools.core import Context


class RepairInput(StrictModel):
    """Nothing to say."""


class RepairOutput(StrictModel):
    """What was wrong, what was done, and what could not be kept; `ok` when nothing is wrong now."""

    path: str
    ok: bool
    found: tuple[FindingRow, ...] = Field(description="What was wrong or unfinished before.")
    left: tuple[FindingRow, ...] = Field(description="What still is.")
    set_aside: str | None = Field(description="Where the damaged database is now.")
    backup: str | None = Field(description="The backup of what was there, when it was mended in place.")
    saved: dict[str, int] = Field(description="Rows that were carried over from the damaged database, by table.")
    lost: tuple[str, ...] = Field(description="What could not be kept, by name or number.")
    files: int | None = Field(description="Files that were read or looked at again; null when nothing had to be done.")


def repair_memory(given: RepairInput, context: Context) -> RepairOutput:
    """Mend what can be mended, and read the project's files again.

    Raises:
        Fault: NOT_FOUND when there is no memory, CONFLICT for one of a newer version or another program's.
    """
    from aurora.memory import database_path  # noqa: PLC0415 - listing tools must not pay for SQLite
    from aurora.memory.maintenance import repair_memory as mend  # noqa: PLC0415 - as above

    del given
    database = database_path(context.root)
    done = mend(database, context.root, context.progress)
    return RepairOutput(
        path=str(database),
        ok=all(one.unfinished for one in done.remaining),
        found=to_finding_rows(done.found),
        left=to_finding_rows(done.remaining),
        set_aside=str(done.damaged_path) if done.damaged_path else None,
        backup=done.previous_backup.name if done.previous_backup else None,
        saved=dict(done.saved),
        lost=tuple(done.lost),
        files=done.indexed.files if done.indexed else None,
    )


TOOL = Tool(
    name="mem.repair",
    title="Make the memory whole again",
    description=(
        "Mend a damaged memory. Words, vectors, links and code are made anew from the project's files. A database that "
        "is torn or does not open is set aside, never deleted, and what can be read in it is carried over: facts, "
        "patterns, runs. What is lost is named."
    ),
    input=RepairInput,
    output=RepairOutput,
    run=repair_memory,
    family="admin",
    risk="high",
    idempotent=True,
    timeout=3600.0,
    examples=(Example("What needs it", {}),),
    aliases=("repair_graph",),
    mcp="aurora_mem_repair",
    command=Command("mem repair", "Repair the database; damaged records are set aside."),
)
