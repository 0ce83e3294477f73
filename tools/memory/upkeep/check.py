"""mem.check: whether the memory is whole, part by part, each finding with its remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory.maintenance import Finding
    from aurora.tools.core import Context


class CheckInput(StrictModel):
    """Nothing to say."""


class FindingRow(StrictModel):
    """One thing that is wrong, and what mends it."""

    part: str = Field(description="`file`, `text`, `words`, `vectors`, `graph` or `journal`.")
    message: str
    remedy: str = Field(description="The command that puts it right.")


class CheckOutput(StrictModel):
    """What was found; `ok` when nothing is wrong."""

    path: str
    ok: bool
    findings: tuple[FindingRow, ...] = Field(description="What is wrong.")
    unfinished: tuple[FindingRow, ...] = Field(description="What was stopped or goes on; the next run completes it.")
    note: str = ""


def check_memory(given: CheckInput, context: Context) -> CheckOutput:
    """Look through the whole memory; nothing is changed.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program.
    """
    from aurora.memory import database_path  # noqa: PLC0415 - listing tools must not pay for SQLite
    from aurora.memory.maintenance import check_memory as look  # noqa: PLC0415 - as above
    from aurora.memory.maintenance import migrate_database  # noqa: PLC0415 - as above

    del given
    database = database_path(context.root)
    if database.exists() and not context.project.read_only:
        migrate_database(database)
    found = look(database, context.progress)
    return CheckOutput(
        path=str(database),
        ok=all(one.unfinished for one in found),
        findings=to_finding_rows(one for one in found if not one.unfinished),
        unfinished=to_finding_rows(one for one in found if one.unfinished),
        note="" if database.exists() else "There is no memory yet: `aur mem index` makes one.",
    )


def to_finding_rows(found: Iterable[Finding]) -> tuple[FindingRow, ...]:
    """The findings as they are shown."""
    return tuple(FindingRow(part=one.part, message=one.message, remedy=one.remedy) for one in found)


TOOL = Tool(
    name="mem.check",
    title="Whether the memory is whole",
    description=(
        "Look through the whole memory: the file itself, that every chunk has just its own words and its vector, that "
        "both ends of every link of the code graph exist, that every run can be read. Each finding names its remedy."
    ),
    input=CheckInput,
    output=CheckOutput,
    run=check_memory,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=600.0,
    examples=(Example("All of it", {}),),
    aliases=("check_graph_integrity",),
    mcp="aurora_mem_check",
    command=Command("mem check", "Check the integrity of the database."),
)
