"""Containment of paths: reject user-supplied paths outside the project root."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.files import is_home_or_root

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_PATH_LENGTH = 4096
_MAX_SHOWN_LENGTH = 200


def require_project(root: Path) -> None:
    """Check that a folder is a project; a home folder is one only if it is a git repository.

    Raises:
        Fault: INVALID_INPUT for the home folder or the root of the file system without a repository.
    """
    if is_home_or_root(root) and not (root / ".git").exists():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{root}" is not a project: it contains all your files',
            help="Run the command in the project's folder, or pass --project FOLDER.",
            details={"path": str(root)},
        )


def resolve_inside(root: Path, path: str, *, closed: Sequence[str] = (".git",)) -> Path:
    """Return the file or folder at `path` after a check that it is inside the project.

    Args:
        root: the project's folder, resolved.
        path: relative to the project, or absolute.
        closed: top-level folders that must not be read.

    Returns:
        The resolved path: symbolic links are followed, so that the opened file is the checked one.

    Raises:
        Fault: FORBIDDEN for a path outside the project, NOT_FOUND if nothing exists there, INVALID_INPUT if no file
            can have such a name.
    """
    shown = path if len(path) <= _MAX_SHOWN_LENGTH else f"{path[:_MAX_SHOWN_LENGTH]}…"
    if "\0" in path or len(path) > _MAX_PATH_LENGTH:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{shown!s}" is not a path'.replace("\0", "\\0"),
            help="Give a path relative to the project, with forward slashes.",
        )
    try:
        real = (root / Path(path)).resolve()
        exists = real.exists()
    except (OSError, RuntimeError, ValueError):  # a cycle of links, a name that is too long, a lone surrogate
        raise _make_missing_fault(shown) from None
    if not real.is_relative_to(root):
        raise Fault(
            Code.FORBIDDEN,
            f'"{shown}" is outside the project',
            help=f'Use a path inside "{root}"; symbolic links out of it are not followed.',
            details={"path": shown},
        )
    if real != root and PurePosixPath(real.relative_to(root).as_posix()).parts[0] in closed:
        raise Fault(
            Code.FORBIDDEN,
            f'"{shown}" belongs to git and cannot be read',
            help="Use git instead: its configuration may contain credentials.",
            details={"path": shown},
        )
    if not exists:
        raise _make_missing_fault(shown)
    return real


def _make_missing_fault(shown: str) -> Fault:
    return Fault(
        Code.NOT_FOUND,
        f'there is no "{shown}" in the project',
        help="Paths are relative to the project's folder; search for a word to find existing paths.",
        details={"path": shown},
    )
