"""Backups, and the results of a restore and of a salvage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MANUAL_REASON = "manual"


@dataclass(frozen=True, slots=True)
class Backup:
    """Backup; `reason` is `manual` or the operation, such as `before-restore`."""

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
class SalvageResult:
    """Saved rows by table, and names of the lost ones.

    `damaged_path` is the new place of the damaged database.
    """

    damaged_path: Path | None
    saved: Mapping[str, int]
    lost: Sequence[str]
