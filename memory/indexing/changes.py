"""Changes of the tree: the files on disk compared with the files in the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.memory.files import SourceFile, discover_files
from aurora.memory.model.reports import SkippedFile

from .parse import ParseJob

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model.chunks import FileFingerprint


@dataclass(slots=True)
class TreeChanges:
    """The differences; `unchanged` counts files, `seen` counts all indexable files, `size` their bytes."""

    jobs: list[ParseJob] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    seen: int = 0
    size: int = 0


def find_changes(
    root: Path,
    known: Mapping[str, FileFingerprint],
    within: Sequence[str],
    *,
    reread: bool = False,
    is_export: bool = False,
) -> TreeChanges:
    """Find the changed files at the cost of one `stat` a file.

    Args:
        root: the project's folder.
        known: the files in the store, by path.
        within: only these files and folders, as paths inside the project; all when empty.
        reread: report every file as changed, since the rules by which files are read have changed.
        is_export: the tree contains the files of a commit and nothing else.
    """
    found = TreeChanges()
    missing = {path for path in known if is_inside(path, within)}
    for entry in discover_files(root, within, is_export=is_export):
        # The walk also reports what it meets on the way to a selected folder.
        if not is_inside(entry.path, within):
            continue
        if isinstance(entry, SkippedFile):
            found.skipped.append(entry)
            continue
        missing.discard(entry.path)
        _classify_file(entry, None if reread else known.get(entry.path), found)
    found.removed = sorted(missing)
    return found


def _classify_file(file: SourceFile, known: FileFingerprint | None, found: TreeChanges) -> None:
    found.seen += 1
    found.size += file.size
    if known and known[:2] == (file.size, file.mtime_ns):
        found.unchanged += 1
    else:
        found.jobs.append(ParseJob(file, known[2] if known else None))


def is_inside(path: str, within: Sequence[str]) -> bool:
    """Return whether a file is one of these paths or inside one; always true without paths."""
    return not within or any(path == place or path.startswith(f"{place}/") for place in within)
