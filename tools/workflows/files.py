"""Which workflows are meant: names, files, folders, or all that would be used."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, find_nearest, list_names
from aurora.interpreter.catalog import list_workflow_files
from aurora.interpreter.yaml import display_path
from aurora.tools.files import resolve_inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.tools.core import Context

_MAX_PATH_CHARS = 200
NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,80}")


def resolve_targets(files: Sequence[str], context: Context) -> tuple[tuple[str, str], ...]:
    """What to look at: how it is called, and the name or the path by which the catalog finds it.

    Raises:
        Fault: NOT_FOUND for a file that does not exist and a folder that holds no workflow, FORBIDDEN for what lies
            outside the project.
    """
    if not files:
        return tuple((name, name) for name in context.project.workflows.list_names())
    found = (target for name in files for target in _resolve_name(name, context.root))
    return tuple({asked: (called, asked) for called, asked in found}.values())


def _resolve_name(name: str, root: Path) -> Iterator[tuple[str, str]]:
    if NAME_PATTERN.fullmatch(name) and not (root / name).is_file():
        yield name, name
        return
    if not _may_exist(root, name):
        raise _build_not_found(root, name)
    path = resolve_inside(root, name)
    if not path.is_dir():
        yield display_path(path) if PurePath(name).is_absolute() else name, str(path)
        return
    held = list_workflow_files(path)
    if not held:
        raise Fault(
            Code.NOT_FOUND,
            f'there is no workflow in "{display_path(path)}"',
            help='A workflow is a file that ends in ".yaml" or ".yml"; folders inside the folder are not looked into.',
        )
    for file in held:
        # a link that leads nowhere is a problem of that file, and no reason to look at none of them
        yield display_path(file), str(resolve_inside(root, str(file)) if file.exists() else file)


def _may_exist(root: Path, name: str) -> bool:
    """Whether there is a file, a folder or a link; of what lies outside the project, `inside` tells nothing."""
    try:
        path = Path(os.path.normpath(root / name))
        return os.path.lexists(path) or not path.parent.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        return True


def _build_not_found(root: Path, name: str) -> Fault:
    """No such file: the near ones of its folder, else those that there are."""
    wanted = Path(os.path.normpath(root / name))
    said = display_path(wanted)
    said = said if len(said) <= _MAX_PATH_CHARS else f"{said[:_MAX_PATH_CHARS]}…"
    if any(sign in name for sign in "*?["):
        help_ = "Name a folder for all the workflows in it."
        return Fault(Code.NOT_FOUND, f'no file matches "{said}"', help=help_, details={"path": said})
    files = {path.name: display_path(path) for path in list_workflow_files(wanted.parent)}
    names = {path.stem: display_path(path) for path in list_workflow_files(root / ".aurora" / "workflows")}
    near = find_nearest(wanted.name, files)
    other = find_nearest(wanted.stem, names)
    if near or other:
        help_ = f'did you mean "{files[near] if near else names[str(other)]}"?'
    elif files:
        help_ = f"the workflows in that folder are {list_names(files.values())}"
    else:
        help_ = "`aur workflow list` shows the workflows that there are, with their files"
    return Fault(Code.NOT_FOUND, f'there is no file "{said}"', help=help_, details={"path": said})
