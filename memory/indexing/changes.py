"""What an indexing run has to do: the files on disk against the files in the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.memory.files.discover import SourceFile, discover
from aurora.memory.model.reports import Skipped

from .parse import Job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aurora.memory.model.indexing import Known


@dataclass(slots=True)
class Survey:
    """The differences; `unchanged` counts files, `seen` counts all that could be indexed, `size` their bytes."""

    jobs: list[Job] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    seen: int = 0
    size: int = 0


def survey(root: Path, known: Mapping[str, Known], within: Sequence[str]) -> Survey:
    """Walk the tree at the cost of one `stat` a file.

    Args:
        root: the project's folder.
        known: the files in the store, by path.
        within: only these files and folders, as paths inside the project; all of it when empty.
    """
    found = Survey()
    missing = {path for path in known if lies_in(path, within)}
    for entry in discover(root, within):
        if not lies_in(entry.path, within):
            continue
        if isinstance(entry, Skipped):
            found.skipped.append(entry)
            continue
        missing.discard(entry.path)
        _weigh(entry, known.get(entry.path), found)
    found.removed = sorted(missing)
    return found


def _weigh(file: SourceFile, known: Known | None, found: Survey) -> None:
    found.seen += 1
    found.size += file.size
    if known and known[:2] == (file.size, file.mtime_ns):
        found.unchanged += 1
    else:
        found.jobs.append(Job(file, known[2] if known else None))


def lies_in(path: str, within: Sequence[str]) -> bool:
    """Whether a file is one of these places or in one of them; no places mean everywhere."""
    return not within or any(path == place or path.startswith(f"{place}/") for place in within)
