"""Scope of an indexing run: the project's folder, and paths inside it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.memory.files import expand_user

from .changes import is_inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def resolve_root(root: Path) -> Path:
    """Resolve the project's folder to an absolute path without symbolic links.

    Raises:
        Fault: NOT_FOUND when it does not exist, INVALID_INPUT when it is not a folder, FORBIDDEN when it is
            not readable.
    """
    whole = _resolve_links(expand_user(root))
    if not whole.exists():
        raise Fault(
            Code.NOT_FOUND,
            f'there is no folder "{root}"',
            help="name a folder that exists, or leave the path out to index the project you stand in",
            details={"path": str(root)},
        )
    if not whole.is_dir():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{root}" is a file, not a folder',
            help="name the project's folder; single files inside it are given as `paths`",
            details={"path": str(root)},
        )
    if not os.access(whole, os.R_OK | os.X_OK):
        raise Fault(
            Code.FORBIDDEN,
            f'the folder "{root}" may not be read',
            help="give yourself the right to read it",
            details={"path": str(root)},
        )
    return whole


def resolve_paths(root: Path, paths: Sequence[Path], known: Iterable[str]) -> tuple[str, ...]:
    """Resolve paths to the form of the store; empty when one of them is the whole project.

    Args:
        root: the project's folder, resolved.
        paths: absolute, or relative to it.
        known: the files in the store; a deleted file may be named, so that it is removed from the store.

    Raises:
        Fault: FORBIDDEN for a path outside the project, NOT_FOUND for one neither on disk nor in the store.
    """
    known = list(known)
    places = tuple(_resolve_path(root, path, known) for path in paths)
    return () if "." in places else places


def _resolve_path(root: Path, path: Path, known: Sequence[str]) -> str:
    whole = _resolve_links(root / path)
    if not whole.is_relative_to(root):
        raise Fault(
            Code.FORBIDDEN,
            f'"{path}" lies outside the project "{root}"',
            help="name a file or folder inside it",
            details={"path": str(path), "root": str(root)},
        )
    place = whole.relative_to(root).as_posix()
    if not whole.exists() and not any(is_inside(file, [place]) for file in known):
        raise Fault(
            Code.NOT_FOUND,
            f'there is no file or folder "{path}" in the project "{root}"',
            help="name one that exists, relative to the project's folder",
            details={"path": str(path), "root": str(root)},
        )
    return place


def _resolve_links(path: Path) -> Path:
    try:
        whole = path.resolve()
        whole.exists()
    except (OSError, ValueError) as error:  # a name too long, a NUL in it, links in a circle
        raise Fault(
            Code.INVALID_INPUT,
            f"this cannot be a path: {str(path)[:80]!r} ({error})",
            help="name a file or folder that exists",
        ) from error
    return whole
