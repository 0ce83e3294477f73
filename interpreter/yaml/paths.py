"""Display names and places of files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.interpreter.problems import Place

if TYPE_CHECKING:
    from .node import Node


def display_path(path: Path) -> str:
    """Format the path for people: relative if it is inside the current folder."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return str(path)


def locate_file(path: Path) -> Place:
    """Return the place of a problem with the whole file: its start."""
    return Place(display_path(path), 1, 1, 1, 2)


def resolve_relative(node: Node, name: str) -> Path:
    """Resolve a file name in a document relative to the document's folder."""
    return Path(os.path.normpath(Path(node.place.path).absolute().parent / name))
