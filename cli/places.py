"""Places in files, relative to the current folder for a person and to the project's root for a tool."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

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
