"""Project of a command: find its root, open its workspace, read and show places in it."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.memory.files import find_project, has_memory
from aurora.system.paths.resolve import path_exists
from aurora.tools import runtime

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.tools.runtime import Workspace

    from .context import CommonOptions

_PLACE = re.compile(r"(?P<path>.+?)(?P<rest>(:(?P<first>[0-9]{1,9})(?P<last>-([0-9]{1,9})?)?)?(::.*)?)", re.DOTALL)
"""A path, and what may follow: `:10`, `:10-20`, or the symbol of a node of the graph."""

_KEYS = frozenset({"path", "at"})
"""Keys of an output whose value is a path from the project's root, or a line of one."""

_SERVER = "postgresql://"

_MAX_SHOWN = 200

_SHOWN_LINES = 20
"""Lines that `PATH:LINE` reads."""


def to_project_place(text: str, root: Path) -> str:
    """Convert a place relative to the current folder to one from the project's root; keep other texts."""
    found = _PLACE.fullmatch(text)
    path = _find_file(found["path"]) if found else None
    if found is None or path is None or not path.is_relative_to(root):
        return text
    return f"{path.relative_to(root).as_posix()}{found['rest']}"


def to_project_pattern(pattern: str, root: Path) -> str:
    """Convert a pattern that begins with an entry of the current folder to one from the root."""
    here = Path.cwd()
    first = pattern.partition("/")[0]
    if here == root or not here.is_relative_to(root) or "/" not in pattern or not (here / first).exists():
        return pattern
    return os.path.normpath(here.relative_to(root) / pattern).replace(os.sep, "/")


def split_lines_place(text: str, root: Path) -> tuple[str, str] | None:
    """Split `PATH`, `PATH:LINE` or `PATH:LINES` of an existing file into path and lines.

    None for any other text.

    Args:
        text: what was typed; the path may be relative to the current folder or to the root.
        root: the project's root.

    Raises:
        Fault: NOT_FOUND for a path without a file.
    """
    found = _PLACE.fullmatch(text)
    if found is None or "::" in found["rest"]:
        return None
    path = _find_file(found["path"]) or _find_file(str(root / found["path"]))
    if path is None:
        _reject_missing_file(found["path"])
        return None
    if found["first"] is None:
        return str(path), ""
    last = found["last"] or f"-{int(found['first']) + _SHOWN_LINES - 1}"
    return str(path), f"{found['first']}{last}"


def _reject_missing_file(path: str) -> None:
    """Reject what can only be a path, because it has a folder or an ending; an id of a chunk has neither."""
    if len(path) < _MAX_SHOWN and re.search(r"/|\.\w+$", path) and path.isprintable():
        raise Fault(
            Code.NOT_FOUND,
            f'there is no file "{path}", neither from here nor from the root of the project',
            help="`aur mem search` prints the places of its hits as they are read from here",
        )


def _find_file(path: str) -> Path | None:
    """Return the file, absolute; None when it is none, or has no valid name."""
    try:
        found = Path(os.path.normpath(Path.cwd() / Path(path).expanduser()))
        return found if found.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a name too long, a NUL in it, a home that does not exist
        return None


def relate_places(output: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Make each path of an output relative to the current folder, or absolute if that is elsewhere."""
    here = Path.cwd()
    if here == root:
        return dict(output)
    return {key: _relate_value(key, value, root, here) for key, value in output.items()}


def _relate_value(key: str, value: Any, root: Path, here: Path) -> Any:
    if isinstance(value, dict):
        return {name: _relate_value(name, inner, root, here) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_relate_value("", inner, root, here) for inner in value]
    if key not in _KEYS or not isinstance(value, str) or not value or Path(value).is_absolute():
        return value
    if value.startswith(_SERVER):  # the memory is in a database server
        return value
    return os.path.relpath(root / value, here) if here.is_relative_to(root) else str(root / value)


def resolve_project_root(options: CommonOptions, paths: Sequence[str] = ()) -> Path:
    """Return the root of the command's project.

    Args:
        options: may name the project.
        paths: paths of the command; without a named project, the first one selects its own project.

    Raises:
        Fault: NOT_FOUND or FORBIDDEN when the folder does not exist or cannot be read.
    """
    here = _get_current_folder()
    if options.project is not None:
        return require_readable_folder(here / Path(options.project).expanduser(), options.project)
    root = find_project(here)
    if paths:
        first = Path(paths[0])
        if path_exists(first) and not first.resolve().is_relative_to(root):
            # A file of another project belongs to that one, wherever the shell is.
            root = find_project(first if first.is_dir() else first.parent)
    return require_readable_folder(root, str(root))


def require_readable_folder(path: Path, name: str, option: str = " with --project") -> Path:
    """Return the folder, absolute and resolved.

    Args:
        path: the folder.
        name: as the person wrote it, for messages.
        option: how the person names another folder.

    Raises:
        Fault: NOT_FOUND when it does not exist, INVALID_INPUT when it is not a folder, FORBIDDEN when it cannot be
            read.
    """
    try:
        resolved = path.resolve(strict=True)
        if not resolved.is_dir():
            raise Fault(
                Code.INVALID_INPUT, f'the project "{name}" is not a folder', help="Name the folder that contains it."
            )
        with os.scandir(resolved) as entries:
            next(entries, None)
    except FileNotFoundError:
        raise Fault(
            Code.NOT_FOUND, f'the project "{name}" does not exist', help=f"Name an existing folder{option}."
        ) from None
    except PermissionError:
        raise Fault(
            Code.FORBIDDEN,
            f'the project "{name}" cannot be read',
            help=f"Give yourself permission to read the folder, or name another one{option}.",
        ) from None
    except (OSError, ValueError, RuntimeError) as error:  # a cycle of links, a name too long, a NUL in it
        raise Fault(
            Code.INVALID_INPUT, f'the project "{name[:200]}" is not a usable path: {error}', help="Name a folder."
        ) from None
    return resolved


@contextmanager
def open_workspace(options: CommonOptions, paths: Sequence[str] = (), *, reads: bool = False) -> Iterator[Workspace]:
    """Open the project for one command.

    Args:
        options: the project, and whether to open it read-only.
        paths: paths of the command, which may be in another project.
        reads: the command only reads: do not create a missing database.
    """
    root = resolve_project_root(options, paths)
    untouched = reads and not has_memory(root)
    with runtime.Workspace(root, read_only=options.read_only, untouched=untouched) as workspace:
        yield workspace


def _get_current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise Fault(
            Code.NOT_FOUND, "the current folder no longer exists", help="Change into an existing folder."
        ) from None
