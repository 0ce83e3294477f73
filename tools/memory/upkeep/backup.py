"""mem.backup, mem.backups, mem.restore: the whole memory kept in a file, the list of those, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora import memory
from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import Backup
    from aurora.tools.core import Context


class BackupInput(StrictModel):
    """Nothing to say."""


class BackupRow(StrictModel):
    """One backup; the size in bytes, the time in ISO 8601, UTC."""

    name: str
    path: str
    made_at: str
    reason: str = Field(description="`manual`, or what was about to happen when it was made: `before-restore` …")
    size_bytes: int


class BackupsOutput(StrictModel):
    """The backups, the newest first."""

    folder: str
    backups: tuple[BackupRow, ...]


class RestoreInput(StrictModel):
    """Which backup."""

    name: str | None = Field(
        default=None, min_length=1, max_length=200, description="The backup's name; the newest one without."
    )


class RestoreOutput(StrictModel):
    """What was brought back, and where what was there before is now."""

    restored: BackupRow
    before: BackupRow | None = Field(description="The backup of what was there, made just before.")
    set_aside: str | None = Field(description="Where the damaged database is now, if it was damaged.")


def back_up_memory(given: BackupInput, context: Context) -> BackupRow:
    """Copy the memory into a file beside it.

    Raises:
        Fault: NOT_FOUND when there is none; those of the memory.
    """
    del given
    return _to_row(memory.create_backup(_locate_database(context)))


def list_memory_backups(given: BackupInput, context: Context) -> BackupsOutput:
    """List the backups."""
    del given
    database = _locate_database(context)
    return BackupsOutput(
        folder=str(memory.get_backup_folder(database)),
        backups=tuple(_to_row(each) for each in memory.list_backups(database)),
    )


def restore_memory(given: RestoreInput, context: Context) -> RestoreOutput:
    """Make the memory what it was in a backup.

    Raises:
        Fault: NOT_FOUND without such a backup, UPSTREAM_ERROR for a damaged one, CONFLICT for one of a newer version.
    """
    done = memory.restore_backup(_locate_database(context), given.name)
    return RestoreOutput(
        restored=_to_row(done.backup),
        before=_to_row(done.previous_backup) if done.previous_backup else None,
        set_aside=str(done.damaged_path) if done.damaged_path else None,
    )


def _locate_database(context: Context) -> Path:
    return memory.database_path(context.root)


def _to_row(each: Backup) -> BackupRow:
    return BackupRow(
        name=each.name, path=str(each.path), made_at=each.made_at, reason=each.reason, size_bytes=each.size_bytes
    )


TOOLS = (
    Tool(
        name="mem.backup",
        title="Back the memory up",
        description=(
            "Copy the whole memory into one file in .aurora/backups/ while others go on using it. The copy is checked "
            "before it gets its name. Backups that you ask for are never deleted."
        ),
        input=BackupInput,
        output=BackupRow,
        run=back_up_memory,
        family="admin",
        risk="write",
        idempotent=False,
        timeout=600.0,
        examples=(Example("Now", {}),),
        mcp="aurora_mem_backup",
        command=Command("mem backup", "Back up the database to a file."),
    ),
    Tool(
        name="mem.backups",
        title="The memory's backups",
        description="List the backups of the memory, the newest first, with why each was made and how big it is.",
        input=BackupInput,
        output=BackupsOutput,
        run=list_memory_backups,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        aliases=("list_backups",),
        examples=(Example("All of them", {}),),
        mcp="aurora_mem_backups",
        command=Command("mem backups", "List the backups."),
    ),
    Tool(
        name="mem.restore",
        title="Bring a backup back",
        description=(
            "Make the memory what it was in a backup, in one step that is done whole or not at all. The backup is "
            "checked first, and what is there now is backed up first; a damaged database is set aside."
        ),
        input=RestoreInput,
        output=RestoreOutput,
        run=restore_memory,
        family="admin",
        risk="high",
        idempotent=True,
        timeout=600.0,
        examples=(Example("The newest one", {}),),
        mcp="aurora_mem_restore",
        command=Command("mem restore", "Restore a backup.", arguments=("name",)),
    ),
)
