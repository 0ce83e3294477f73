"""`mem.check`: integrity check of the memory, each finding with its remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora import memory
from aurora.memory import maintenance
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool

from .places import ONE_MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory.maintenance import Finding
    from aurora.tools.core import Context


_NONE_YET = "There is no memory yet: run `aur mem index` to create it."


class CheckInput(StrictModel):
    """No input."""


class FindingRow(StrictModel):
    """Fault in the memory, with its remedy."""

    part: str = Field(description="`file`, `text`, `words`, `vectors`, `graph` or `journal`.")
    message: str
    remedy: str = Field(description="The command that fixes it.")


class CheckedCounts(StrictModel):
    """Rows that were checked."""

    files: int
    chunks: int
    nodes: int = Field(description="Definitions, files and sections in the code graph.")
    vectors: int
    runs: int


class CheckOutput(StrictModel):
    """Findings; `ok` when nothing is wrong."""

    path: str
    ok: bool
    findings: tuple[FindingRow, ...] = Field(description="Faults in the memory.")
    unfinished: tuple[FindingRow, ...] = Field(description="Stopped or running work; the next run completes it.")
    counts: CheckedCounts | None = Field(default=None, description="Of an intact memory; null for any other.")
    note: str = ""


def check_memory(given: CheckInput, context: Context) -> CheckOutput:
    """Check the integrity of the whole memory; change nothing.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program.
    """
    del given
    if context.project.server is not None:
        opened = context.project.memory
        found = maintenance.check_store(opened.store, context.progress)
        return _build_output(opened.server or "", found, context, has_memory=opened.has_been_indexed())
    database = memory.database_path(context.root)
    has_memory = memory.settle_files(database, moves=not context.project.read_only)
    found = maintenance.check_memory(database, context.progress) if has_memory else ()
    return _build_output(str(database), found, context, has_memory=has_memory)


def _build_output(path: str, found: Sequence[Finding], context: Context, *, has_memory: bool) -> CheckOutput:
    is_intact = all(one.unfinished for one in found)
    return CheckOutput(
        path=path,
        ok=is_intact,
        counts=_count_rows(context) if is_intact and has_memory else None,
        findings=to_finding_rows(one for one in found if not one.unfinished),
        unfinished=to_finding_rows(one for one in found if one.unfinished),
        note="" if has_memory else _NONE_YET,
    )


def _count_rows(context: Context) -> CheckedCounts:
    stats = context.project.memory.stats()
    return CheckedCounts(
        files=stats.files,
        chunks=sum(stats.chunks.values()),
        nodes=stats.nodes,
        vectors=stats.vectors,
        runs=stats.runs,
    )


def to_finding_rows(found: Iterable[Finding]) -> tuple[FindingRow, ...]:
    """Convert findings to rows of the output."""
    return tuple(FindingRow(part=one.part, message=one.message, remedy=one.remedy) for one in found)


TOOL = Tool(
    name="mem.check",
    title="Check the memory's integrity",
    description=(
        "Check the integrity of the whole memory: the database file, the words and vector of every chunk, both ends of "
        "every link of the code graph, every run. Each finding names its remedy."
    ),
    input=CheckInput,
    output=CheckOutput,
    run=check_memory,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=600.0,
    phases=True,
    examples=(Example("All of it", {}),),
    aliases=(Alias("check_graph_integrity", unused=ONE_MEMORY),),
    mcp="aurora_mem_check",
    command=Command("mem check", "Check the integrity of the database."),
)
