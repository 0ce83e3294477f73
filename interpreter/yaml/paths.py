"""How a file is called in what people read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.interpreter.problems import Place

if TYPE_CHECKING:
    from .node import Node


def display_path(path: Path) -> str:
    """The path as a person would name it: relative when that is inside the current folder."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return str(path)


def locate_file(path: Path) -> Place:
    """The place of a finding about a file as such: its beginning."""
    return Place(display_path(path), 1, 1, 1, 2)


def resolve_relative(node: Node, name: str) -> Path:
    """The file that `name`, written at `node`, means: relative to the folder of the file that says it."""
    return Path(os.path.normpath(Path(node.place.path).absolute().parent / name))
