"""Resolution of a path inside a folder: links are followed, and everything outside is refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from aurora.faults.fault import Code, Fault

from .names import describe_impossible_path, describe_odd_name, find_closed_name

_MAX_SHOWN_CHARS = 200
_REFUSES_ODD_NAMES = os.name == "nt"
"""On Windows an odd name opens another file or a device; elsewhere it is only a name."""


def resolve_inside(root: Path, path: str) -> Path:
    """Return the file or folder at `path` after a check that it is inside the folder.

    Args:
        root: the folder, mostly the project's, resolved.
        path: relative to the folder, or absolute.

    Returns:
        The resolved path, without links. Another process may replace a part of it by a link before it is opened:
        `open_inside` opens a file so that this is noticed.

    Raises:
        Fault: FORBIDDEN for a path outside, in a folder of version control at any depth, or of a pipe, socket or
            device; NOT_FOUND if nothing exists there; INVALID_INPUT if no file can have such a name, or none that is
            the same file on every system.
    """
    real = resolve_new(root, path)
    try:
        kind = real.lstat().st_mode
    except (OSError, ValueError):
        odd = find_odd_name(path)
        raise build_name_fault(path, odd) if odd else build_missing_fault(path) from None
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise build_special_fault(path)
    return real


def resolve_new(root: Path, path: str) -> Path:
    """Return the resolved path of a file that need not exist, checked as by `resolve_inside`.

    Raises:
        Fault: FORBIDDEN or INVALID_INPUT, as for `resolve_inside`.
    """
    refuse_impossible(path)
    refuse_closed(root, path)
    if _REFUSES_ODD_NAMES and (odd := find_odd_name(path)):
        raise build_name_fault(path, odd)
    try:
        real = Path(os.path.realpath(root / path))
        kind = os.lstat(real).st_mode if os.path.lexists(real) else 0
    except (OSError, ValueError):
        raise build_missing_fault(path) from None
    if not real.is_relative_to(root):
        raise build_outside_fault(root, path)
    if stat.S_ISLNK(kind):  # `realpath` stops at a cycle of links
        raise _build_cycle_fault(path)
    if system := find_closed_name(real.relative_to(root).parts):
        raise _build_closed_fault(path, system)
    return real


def refuse_impossible(path: str) -> None:
    """Check that a file can have this path.

    Raises:
        Fault: INVALID_INPUT for a NUL, a lone surrogate, or an excessive length.
    """
    if reason := describe_impossible_path(path):
        raise build_name_fault(path, reason)


def path_exists(path: str | Path) -> bool:
    """Return True when something exists at a path; False also for a name that no file can have.

    `Path.exists` raises an error for a name that is too long, up to Python 3.13.
    """
    return os.path.exists(path)  # noqa: PTH110 - see above


def file_exists(path: str | Path) -> bool:
    """Return True when a file is at a path; False also for a name that no file can have."""
    return os.path.isfile(path)  # noqa: PTH113 - see `path_exists`


def is_inside(root: Path, path: Path) -> bool:
    """Return True when the path leads, through all links, to a place inside the folder that is not closed."""
    base = Path(os.path.realpath(root))
    try:
        real = Path(os.path.realpath(path))
    except (OSError, ValueError):
        return False
    return real.is_relative_to(base) and not find_closed_name(real.relative_to(base).parts)


def refuse_link(root: Path, path: str) -> None:
    """Check that no link of a clone leads a path of Aurora's own out of the project.

    Args:
        root: the project's folder, resolved.
        path: relative, as `.aurora/backups`; need not exist.

    Raises:
        Fault: FORBIDDEN, with the link.
    """
    place = root
    for part in path.split("/"):
        place /= part
        if place.is_symlink() and not is_inside(root, place):
            raise build_link_fault(place.relative_to(root).as_posix())


def find_odd_name(path: str) -> str:
    """Return why a name in the path is odd; empty when none is."""
    inner = os.path.splitdrive(path)[1].replace(os.sep, "/") if Path(path).is_absolute() else path
    if os.name == "nt":
        inner = inner.replace("\\", "/")
    return next((reason for part in inner.split("/") if (reason := describe_odd_name(part))), "")


def refuse_closed(root: Path, path: str) -> None:
    """Refuse the folders of version control in the written path, before the file system is asked."""
    written = Path(path)
    if written.is_absolute():
        if not written.is_relative_to(root):
            return  # outside, or the same folder under another name: known after the links are resolved
        written = written.relative_to(root)
    if system := find_closed_name(part for name in written.parts for part in name.split("\\")):
        raise _build_closed_fault(path, system)


def shorten_path(path: str) -> str:
    """Return the path as a message quotes it: of limited length, without what cannot be printed."""
    shown = path if len(path) <= _MAX_SHOWN_CHARS else f"{path[:_MAX_SHOWN_CHARS]}…"
    text = shown.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return text.replace("\n", r"\n").replace("\t", r"\t")


def build_outside_fault(root: Path, path: str) -> Fault:
    """Build the fault for a path outside the folder."""
    shown = shorten_path(path)
    return Fault(
        Code.FORBIDDEN,
        f'"{shown}" is outside the project',
        help=f'Use a path inside "{root}"; symbolic links out of it are not followed.',
        details={"path": shown},
    )


def _build_closed_fault(path: str, system: str) -> Fault:
    shown = shorten_path(path)
    return Fault(
        Code.FORBIDDEN,
        f'"{shown}" belongs to {system} and cannot be used',
        help=f"Use {system} instead: its configuration may contain credentials, and its hooks are programs.",
        details={"path": shown},
    )


def build_special_fault(path: str) -> Fault:
    """Build the fault for a pipe, a socket or a device."""
    shown = shorten_path(path)
    return Fault(
        Code.FORBIDDEN,
        f'"{shown}" is a pipe, a socket or a device',
        help="Name a regular file.",
        details={"path": shown},
    )


def build_link_fault(path: str, kind: str = "a link to a place outside the project") -> Fault:
    """Build the fault for a link of the clone in place of something that Aurora writes."""
    shown = shorten_path(path)
    return Fault(
        Code.FORBIDDEN,
        f'"{shown}" is {kind}, and Aurora writes nothing through it',
        help=f'A clone may have brought it. Replace "{shown}" by a file or folder of the project; to keep the memory '
        "elsewhere, set AURORA_DB.",
        details={"path": shown},
    )


def build_name_fault(path: str, reason: str) -> Fault:
    """Build the fault for a path that no file can have, or that is not the same file on every system."""
    shown = shorten_path(path)
    return Fault(
        Code.INVALID_INPUT,
        f'"{shown}" is not a path: it {reason}',
        help="Give a path relative to the project, with forward slashes.",
        details={"path": shown},
    )


def _build_cycle_fault(path: str) -> Fault:
    shown = shorten_path(path)
    return Fault(
        Code.NOT_FOUND,
        f'"{shown}" is a cycle of symbolic links',
        help="Replace the link by a file, or let it lead to one.",
        details={"path": shown},
    )


def build_missing_fault(path: str) -> Fault:
    """Build the fault for a file that does not exist."""
    shown = shorten_path(path)
    return Fault(
        Code.NOT_FOUND,
        f'there is no "{shown}" in the project',
        help="Paths are relative to the project's folder; search for a word to find existing paths.",
        details={"path": shown},
    )
