"""`mem.backup`, `mem.backups`, `mem.restore`: copies of the whole memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora import memory
from aurora.errors import Code, Fault
from aurora.memory.model.reports import HOURLY_REASON
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Backup
    from aurora.tools.core import Context

ONE_MEMORY = {"triad": "one memory serves all workflows of a project"}
"""Argument of systems with a memory for each workflow, and why it changes nothing here."""
ONLY_BEFORE = (
    "Numbers of records and runs of the previous state that the restored backup does not have; the backup of the "
    "previous state has them."
)


class BackupInput(StrictModel):
    """No input."""


class BackupRow(StrictModel):
    """Backup with its size in bytes and its time in ISO 8601, UTC."""

    name: str
    path: str
    made_at: str
    reason: str = Field(description="`manual`, `hourly`, or the operation that it was made for: `before-restore` …")
    size_bytes: int


class BackupsOutput(StrictModel):
    """Backups, the newest first."""

    folder: str
    backups: tuple[BackupRow, ...]


class RestoreInput(StrictModel):
    """Backup to restore."""

    name: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="The backup's name; by default the newest that is not hourly.",
    )


class RestoreOutput(StrictModel):
    """Restored backup, and the backup of the previous state."""

    restored: BackupRow
    before: BackupRow | None = Field(description="The backup of the previous state, made just before.")
    set_aside: str | None = Field(description="New path of a damaged database; null when it was not damaged.")
    only_before: dict[str, int] = Field(description=ONLY_BEFORE)


def back_up_memory(given: BackupInput, context: Context) -> BackupRow:
    """Copy the memory into a backup file.

    Raises:
        Fault: NOT_FOUND when there is no memory; CONFLICT for one in a server; the memory's own faults.
    """
    del given
    return _to_row(memory.create_backup(locate_database_file(context)))


def list_memory_backups(given: BackupInput, context: Context) -> BackupsOutput:
    """List the backups."""
    del given
    database = locate_database_file(context)
    return BackupsOutput(
        folder=str(memory.get_backup_folder(database)),
        backups=tuple(map(_to_row, memory.list_backups(database))),
    )


def restore_memory(given: RestoreInput, context: Context) -> RestoreOutput:
    """Restore the memory from a backup.

    Raises:
        Fault: NOT_FOUND without such a backup, UPSTREAM_ERROR for a damaged one, CONFLICT for one of a newer version.
    """
    done = memory.restore_backup(locate_database_file(context), given.name)
    if done.backup.reason == HOURLY_REASON:  # it has no code
        context.project.memory.index(context.root, progress=context.progress)
    return RestoreOutput(
        restored=_to_row(done.backup),
        before=_to_row(done.previous_backup) if done.previous_backup else None,
        set_aside=str(done.damaged_path) if done.damaged_path else None,
        only_before=dict(done.only_before),
    )


def locate_database_file(context: Context) -> Path:
    """Return the path of the database file.

    Raises:
        Fault: CONFLICT for a memory in a database server, which has no file here.
    """
    server = context.project.server
    if server is not None:
        raise Fault(
            Code.CONFLICT,
            f'the memory is in the database server "{server.place}", whose operator backs it up',
            help="run `pg_dump --schema='aurora*' --format=custom` for a backup and `pg_restore` to restore it, as "
            "docs/guide/scale.md shows; `aur mem export` writes this project's facts, patterns and runs to a file",
            details={"database": server.place},
        )
    database = memory.records_path(context.root)
    memory.settle_files(database, moves=not context.project.read_only)
    return database


def _to_row(each: Backup) -> BackupRow:
    return BackupRow.from_value(each, path=str(each.path))


TOOLS = (
    Tool(
        name="mem.backup",
        title="Back up the memory",
        description=(
            "Copy the whole memory into one file in .aurora/backups/ while other processes use it. The copy is checked "
            "before it gets its name. Backups that you request are never deleted. Aurora itself backs up facts, "
            "patterns and runs, at most every hour."
        ),
        input=BackupInput,
        output=BackupRow,
        run=back_up_memory,
        family="admin",
        risk="write",
        idempotent=False,
        timeout=600.0,
        jobs=True,
        examples=(Example("Now", {}),),
        mcp="aurora_mem_backup",
        command=Command("mem backup", "Back up the database to a file."),
    ),
    Tool(
        name="mem.backups",
        title="List backups",
        description="List the backups of the memory, the newest first, with the reason and size of each.",
        input=BackupInput,
        output=BackupsOutput,
        run=list_memory_backups,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        phases=True,
        aliases=(Alias("list_backups", unused=ONE_MEMORY),),
        examples=(Example("All of them", {}),),
        mcp="aurora_mem_backups",
        command=Command("mem backups", "List the backups."),
    ),
    Tool(
        name="mem.restore",
        title="Restore a backup",
        description=(
            "Restore the memory from a backup, completely or not at all. The backup is checked first, and the current "
            "memory is backed up first; a damaged database is moved aside."
        ),
        input=RestoreInput,
        output=RestoreOutput,
        run=restore_memory,
        family="admin",
        risk="high",
        idempotent=False,
        timeout=600.0,
        examples=(Example("The newest one", {}),),
        mcp="aurora_mem_restore",
        command=Command(
            "mem restore",
            "Restore a backup.",
            arguments=("name",),
            question="This replaces the memory, which is backed up first. Restore?",
        ),
    ),
)
