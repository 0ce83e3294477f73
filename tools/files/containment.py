"""A path that somebody typed stays inside the project, or is refused."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.memory.files import is_home_or_root

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_PATH_LENGTH = 4096


def require_project(root: Path) -> None:
    """Let the folder pass as one project; a repository of a person's settings may well be their home.

    Raises:
        Fault: INVALID_INPUT when it is the home folder or the root of the file system, and no repository.
    """
    if is_home_or_root(root) and not (root / ".git").exists():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{root}" is no project: all that you have lies in it',
            help="Say it in the project's folder, or name that with --project.",
            details={"path": str(root)},
        )


def resolve_inside(root: Path, path: str, *, closed: Sequence[str] = (".git",)) -> Path:
    """The file or folder that `path` names, once it is sure that it lies in the project.

    Args:
        root: the project's folder, resolved.
        path: relative to the project, or absolute.
        closed: top-level folders that are not the project's own text.

    Returns:
        The resolved path: every symbolic link has been followed, so what is opened is what was checked.

    Raises:
        Fault: FORBIDDEN when it leads out of the project, NOT_FOUND when there is nothing, INVALID_INPUT when no file
            can have such a name.
    """
    shown = path if len(path) <= 200 else f"{path[:200]}…"  # noqa: PLR2004 - a message stays a line
    if "\0" in path or len(path) > _MAX_PATH_LENGTH:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{shown!s}" is not a path'.replace("\0", "\\0"),
            help="Give a path relative to the project, with forward slashes.",
        )
    try:
        real = (root / Path(path)).resolve()
        exists = real.exists()
    except (OSError, RuntimeError, ValueError):  # a circle of links, a name too long, a lone surrogate
        raise _make_missing_fault(shown) from None
    if not real.is_relative_to(root):
        raise Fault(
            Code.FORBIDDEN,
            f'"{shown}" lies outside the project',
            help=f'Only files inside "{root}" can be read; symbolic links that lead out of it count as outside.',
            details={"path": shown},
        )
    if real != root and PurePosixPath(real.relative_to(root).as_posix()).parts[0] in closed:
        raise Fault(
            Code.FORBIDDEN,
            f'"{shown}" belongs to git itself and is not read',
            help="Ask git for it: its configuration may hold credentials.",
            details={"path": shown},
        )
    if not exists:
        raise _make_missing_fault(shown)
    return real


def _make_missing_fault(shown: str) -> Fault:
    return Fault(
        Code.NOT_FOUND,
        f'there is no "{shown}" in the project',
        help="Paths are relative to the project's folder; aurora_search tells which exist.",
        details={"path": shown},
    )
