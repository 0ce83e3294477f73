"""Backups, and the results of a restore and of a recovery."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MANUAL_REASON = "manual"
HOURLY_REASON = "hourly"
"""Reason of the backups that Aurora makes by itself, of facts, patterns and runs only."""


@dataclass(frozen=True, slots=True)
class Backup:
    """Backup; `reason` is `manual`, `hourly` or the operation, such as `before-restore`."""

    name: str
    path: Path
    made_at: str
    reason: str
    size_bytes: int

    @property
    def is_automatic(self) -> bool:
        """Check whether Aurora made the backup by itself and may delete it."""
        return self.reason != MANUAL_REASON


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """Result of a restore.

    `previous_backup` contains the state before, `damaged_path` is the new place of a damaged file. `only_before` counts
    the `records` and the `runs` of that state which the backup does not have; it is empty for a damaged file.
    """

    backup: Backup
    previous_backup: Backup | None
    damaged_path: Path | None
    only_before: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """Result of the replacement of a damaged database.

    Attributes:
        damaged_path: the new place of the damaged database; None when nothing was replaced.
        saved: the number of rows that were read of it, by table.
        lost: the names of the lost rows, or what can be said of them.
        backup: the backup that the other rows came from.
        from_backup: the number of these rows, by table.
    """

    damaged_path: Path | None
    saved: Mapping[str, int] = field(default_factory=dict)
    lost: Sequence[str] = ()
    backup: Backup | None = None
    from_backup: Mapping[str, int] = field(default_factory=dict)
