"""mem.backup, mem.backups, mem.restore: the whole memory kept in a file, the list of those, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core.declaration import Example, Strict, Tool

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.sqlite.backup.backup import Backup
    from aurora.tools.core.context import Context


class BackupInput(Strict):
    """Nothing to say."""


class BackupRow(Strict):
    """One backup; the size in bytes, the time in ISO 8601, UTC."""

    name: str
    path: str
    made_at: str
    reason: str = Field(description="`manual`, or what was about to happen when it was made: `before-restore` …")
    size_bytes: int


class BackupsOutput(Strict):
    """The backups, the newest first."""

    folder: str
    backups: tuple[BackupRow, ...]


class RestoreInput(Strict):
    """Which backup."""

    name: str | None = Field(
        default=None, min_length=1, max_length=200, description="The backup's name; the newest one without."
    )


class RestoreOutput(Strict):
    """What was brought back, and where what was there before is now."""

    restored: BackupRow
    before: BackupRow | None = Field(description="The backup of what was there, made just before.")
    set_aside: str | None = Field(description="Where the damaged database is now, if it was damaged.")


def backup(given: BackupInput, context: Context) -> BackupRow:
    """Copy the memory into a file beside it.

    Raises:
        Fault: NOT_FOUND when there is none; those of the memory.
    """
    from aurora.memory.sqlite.backup.backup import make  # noqa: PLC0415 - listing tools must not pay for SQLite

    del given
    return _row(make(_database(context)))


def backups(given: BackupInput, context: Context) -> BackupsOutput:
    """List the backups."""
    from aurora.memory.sqlite.backup.backup import folder_of, listed  # noqa: PLC0415 - as above

    del given
    database = _database(context)
    return BackupsOutput(folder=str(folder_of(database)), backups=tuple(_row(each) for each in listed(database)))


def restore(given: RestoreInput, context: Context) -> RestoreOutput:
    """Make the memory what it was in a backup.

    Raises:
        Fault: NOT_FOUND without such a backup, UPSTREAM_ERROR for a damaged one, CONFLICT for one of a newer version.
    """
    from aurora.memory.database import restore_backup  # noqa: PLC0415 - as above

    done = restore_backup(_database(context), given.name)
    return RestoreOutput(
        restored=_row(done.backup),
        before=_row(done.before) if done.before else None,
        set_aside=str(done.aside) if done.aside else None,
    )


def _database(context: Context) -> Path:
    from aurora.memory import database_path  # noqa: PLC0415 - as above

    return database_path(context.root)


def _row(each: Backup) -> BackupRow:
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
        run=backup,
        family="admin",
        risk="write",
        idempotent=False,
        timeout=600.0,
        examples=(Example("Now", {}),),
        mcp="aurora_mem_backup",
        command=("mem", "backup"),
    ),
    Tool(
        name="mem.backups",
        title="The memory's backups",
        description="List the backups of the memory, the newest first, with why each was made and how big it is.",
        input=BackupInput,
        output=BackupsOutput,
        run=backups,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        aliases=("list_backups",),
        examples=(Example("All of them", {}),),
        mcp="aurora_mem_backups",
        command=("mem", "backups"),
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
        run=restore,
        family="admin",
        risk="high",
        idempotent=True,
        timeout=600.0,
        examples=(Example("The newest one", {}),),
        mcp="aurora_mem_restore",
        command=("mem", "restore"),
    ),
)
