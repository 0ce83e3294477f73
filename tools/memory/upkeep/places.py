"""Places of exports: inside the project, or where a person in a terminal says."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from aurora import hosts
from aurora.faults import Code, Fault
from aurora.faults.paths import is_closed, locate_target, refuse_impossible
from aurora.memory.files import DATA_FOLDER

if TYPE_CHECKING:
    from aurora.tools.core import Context

ONE_MEMORY = {"triad": "one memory serves all workflows of a project"}
"""Argument of systems with a memory for each workflow, and why it changes nothing here."""
EXPORT_SUFFIX = ".jsonl"
EXPORTS_FOLDER = f"{DATA_FOLDER}/exports"
"""Folder of the exports whose caller names no folder."""
_EXPORT_PLACES = ((), ("exports",))
"""Folders below `.aurora` that may have an export; its other subfolders have meanings of their own."""


def prefer_exports_folder(path: str, context: Context) -> str:
    """Return the path of a bare name in the folder of exports; any other path unchanged.

    In a terminal, a name is a file of the current folder, as for every other program.
    """
    is_bare = context.surface != "cli" and PurePosixPath(path).name == path and "\\" not in path
    return f"{EXPORTS_FOLDER}/{path}" if is_bare else path


def find_relative_path(path: str, context: Context) -> str | None:
    """Return the path relative to the project; None for one that a person in a terminal wrote as outside.

    A path that is written as inside and leads outside through a link is inside: the link may have come with a clone,
    and is refused when it is followed.

    Raises:
        Fault: INVALID_INPUT for a path that no file can have; FORBIDDEN for one outside, unless it comes from a person
            in a terminal.
    """
    refuse_impossible(path)
    plain = Path(os.path.normpath(context.root / path))
    if plain.is_relative_to(context.root):
        return path if not Path(path).is_absolute() else plain.relative_to(context.root).as_posix()
    folder = Path(os.path.realpath(plain.parent))
    if folder.is_relative_to(context.root):  # the project under another name, as `/var` on macOS
        return (folder / plain.name).relative_to(context.root).as_posix()
    if context.surface == "cli":
        return None
    raise Fault(
        Code.FORBIDDEN,
        f'"{path[:200]}" is outside the project',
        help="Give a path inside the project. Only a person in a terminal may name another place: "
        "`aur mem export /ABSOLUTE/PATH`.",
        details={"path": path[:200]},
    )


def locate_export(path: str, context: Context) -> tuple[Path, Path | None]:
    """Return the file of an export, and the folder that must contain it: the project, or None for any.

    Raises:
        Fault: FORBIDDEN for a path outside, in a folder of version control, among Aurora's own files, or of an
            assistant's configuration; INVALID_INPUT for an unusable name.
    """
    relative = find_relative_path(path, context)
    if relative is None:
        plain = Path(os.path.normpath(context.root / path))
        target, contained = Path(os.path.realpath(plain.parent)) / plain.name, None
        parts: tuple[str, ...] = target.parts
    else:
        folder, name = locate_target(context.root, relative)
        target, contained = folder / name, context.root
        parts = target.relative_to(context.root).parts
    reason = _find_refusal(target, parts, context)
    if reason:
        raise Fault(
            Code.FORBIDDEN,
            f'"{path[:200]}" {reason}',
            help=f"Choose another file, for example memory{EXPORT_SUFFIX}.",
            details={"path": path[:200]},
        )
    return target, contained


def _find_refusal(target: Path, parts: tuple[str, ...], context: Context) -> str:
    """Return why no export may be written there; empty when it may."""
    folded = [part.casefold() for part in parts]
    if is_closed(parts):
        return "is in a folder of version control"
    if DATA_FOLDER in folded:
        inner = tuple(folded[folded.index(DATA_FOLDER) + 1 : -1])
        in_place = inner in _EXPORT_PLACES and folded[-1].endswith(EXPORT_SUFFIX)
        return "" if in_place else f"is among Aurora's own files; only {EXPORTS_FOLDER}/NAME{EXPORT_SUFFIX} is not"
    owner = hosts.find_path_owner(target, context.root, hosts.UserPaths.from_environment())
    if owner:
        return f"belongs to the configuration of {owner}"
    if context.surface == "cli":
        return ""
    if any(part.startswith(".") for part in parts):
        return "is hidden, and other programs read hidden files"
    return "" if folded[-1].endswith(EXPORT_SUFFIX) else f"does not end in {EXPORT_SUFFIX}"
