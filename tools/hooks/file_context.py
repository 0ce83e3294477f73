"""Context that a hook adds when the assistant reads or edits a file: the records about it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import MATERIAL_NOTE
from aurora.memory import has_memory, records

from .context import build_context, fit_lines, format_hit, list_trust_lines, name_hit

if TYPE_CHECKING:
    from aurora.memory import Chunk
    from aurora.tools.core import Project

    from .context import HookContext

_KINDS = ("fact", "pattern", "cached")
"""Kinds of the records that tools store."""
_MAX_HITS = 20
"""Records that match the words of the path best, of which those about the file are added."""
_MAX_PATH_CHARS = 1_000
_HEAD = "Aurora has records of earlier work about this file; `aurora_get` returns the whole text."


def find_file_context(project: Project, path: str, known: set[str]) -> HookContext | None:
    """Find the facts and patterns that cite a file, or name its path in their text.

    Args:
        project: the open project.
        path: the absolute path of the file.
        known: ids of the records that the session has already; those that are added now are added to it.

    Returns:
        At most `MAX_TOKENS`; None for a file outside the project, and without a record that is new to the session and
        can be relied on.
    """
    place = _locate_file(project.root, path)
    if place is None or not has_memory(project.root):
        return None
    found = project.memory.search(
        place, root=project.root, types=("know", "reas"), kinds=_KINDS, limit=_MAX_HITS, embeddings=False
    )
    hits = [hit for hit in found.hits if not hit.doubtful and hit.chunk.id not in known and _is_about(hit.chunk, place)]
    head = [f"{_HEAD} {MATERIAL_NOTE}", *list_trust_lines(project)]
    lines, names = fit_lines(head, [(format_hit(hit), name_hit(hit)) for hit in hits])
    if not names:
        return None
    given = [hit.chunk.id for hit in hits[: len(names)]]
    known.update(given)
    project.memory.try_record_use(given)
    return build_context(lines, names, "to this file")


def _locate_file(root: Path, path: str) -> str | None:
    """Return the path inside the project with forward slashes; None for a file outside."""
    if len(path) > _MAX_PATH_CHARS:
        return None
    try:
        return Path(os.path.realpath(path)).relative_to(root).as_posix()
    except (ValueError, OSError):
        return None


def _is_about(record: Chunk, place: str) -> bool:
    """Return True for a record that cites the file, or names its whole path."""
    named = rf"(?<![\w./-]){re.escape(place)}(?![\w/-]|\.\w)"
    return place in records.list_source_paths(record) or re.search(named, record.text) is not None
