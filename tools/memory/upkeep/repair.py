"""`mem.repair`: repair the memory; a damaged database is moved, not deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora import memory
from aurora.memory import maintenance
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool

from .backup import ONLY_BEFORE, locate_database_file
from .check import FindingRow, to_finding_rows
from .places import ONE_MEMORY

if TYPE_CHECKING:
    from aurora.tools.core import Context


class RepairInput(StrictModel):
    """Backup to begin with."""

    backup: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Replace the memory by this backup first, by its name; by default repair the memory as it is.",
    )


class RepairOutput(StrictModel):
    """Faults before and after, and losses; `ok` when nothing is wrong now."""

    path: str
    ok: bool
    found: tuple[FindingRow, ...] = Field(description="Faults and unfinished work before the repair.")
    left: tuple[FindingRow, ...] = Field(description="Faults and unfinished work after it.")
    set_aside: str | None = Field(description="New path of the damaged database.")
    restored: str | None = Field(description="The backup that replaced the memory before the repair.")
    backup: str | None = Field(
        description="The backup of the previous state, after a restore or a repair in place; null if nothing changed."
    )
    only_before: dict[str, int] = Field(description=ONLY_BEFORE)
    saved: dict[str, int] = Field(description="Rows read from the damaged database, by table.")
    from_backup: dict[str, int] = Field(description="Rows taken from the newest backup, by table.")
    backup_used: str | None = Field(description="That backup.")
    backup_made_at: str | None = Field(description="Its time: what was written later and could not be read is lost.")
    lost: tuple[str, ...] = Field(description="Losses, by name or number.")
    earlier: str | None = Field(description="After losses, the newest backup from before the repair.")
    files: int | None = Field(description="Files that were checked or indexed again; null when nothing had to be done.")


def repair_memory(given: RepairInput, context: Context) -> RepairOutput:
    """Repair the memory, and index the project's files again.

    Raises:
        Fault: NOT_FOUND when there is no memory or no such backup, CONFLICT for one of a newer version or another
            program's.
    """
    name = given.backup
    restored = memory.restore_backup(locate_database_file(context), name) if name is not None else None
    path, done = _repair(context)
    damaged = (restored and restored.damaged_path) or done.damaged_path
    previous = (restored and restored.previous_backup) or done.previous_backup
    return RepairOutput(
        path=path,
        ok=all(one.unfinished for one in done.remaining),
        found=to_finding_rows(done.found),
        left=to_finding_rows(done.remaining),
        restored=restored.backup.name if restored else None,
        set_aside=str(damaged) if damaged else None,
        backup=previous.name if previous else None,
        only_before=dict(restored.only_before) if restored else {},
        saved=dict(done.saved),
        from_backup=dict(done.from_backup),
        backup_used=done.backup.name if done.backup else None,
        backup_made_at=done.backup.made_at if done.backup else None,
        lost=tuple(done.lost),
        earlier=_find_earlier_backup(context, done, previous),
        files=done.indexed.files if done.indexed else None,
    )


def _repair(context: Context) -> tuple[str, maintenance.RepairResult]:
    """Repair the memory where it is; return its place and the result."""
    if context.project.server is not None:
        opened = context.project.memory.store
        path = opened.server or str(memory.database_path(context.root))
        return path, maintenance.repair_store(opened, context.root, context.progress)
    database = memory.database_path(context.root)
    return str(database), maintenance.repair_memory(database, context.root, context.progress)


def _find_earlier_backup(
    context: Context, done: maintenance.RepairResult, previous: memory.Backup | None
) -> str | None:
    """Find the newest backup that may have what is lost, unless the repair has used one."""
    if not done.lost or done.backup is not None or context.project.server is not None:
        return None
    names = [one.name for one in memory.list_backups(locate_database_file(context))]
    return next((name for name in names if previous is None or name != previous.name), None)


TOOL = Tool(
    name="mem.repair",
    title="Repair the memory",
    description=(
        "Repair a damaged memory. Words, vectors, links and code are rebuilt from the project's files. A corrupt "
        "database is moved aside, never deleted; facts, patterns and runs are taken from it and from the newest "
        "backup. Losses are listed. With `backup`, that backup replaces the memory first, and the previous state is "
        "backed up."
    ),
    input=RepairInput,
    output=RepairOutput,
    run=repair_memory,
    family="admin",
    risk="high",
    idempotent=True,
    timeout=3600.0,
    jobs=True,
    examples=(Example("Repair what is damaged", {}),),
    aliases=(Alias("repair_graph", unused=ONE_MEMORY),),
    mcp="aurora_mem_repair",
    command=Command(
        "mem repair",
        "Repair the database; damaged records are set aside.",
        question="This replaces the memory by the backup; the memory is backed up first. Restore?",
        question_field="backup",
    ),
)
