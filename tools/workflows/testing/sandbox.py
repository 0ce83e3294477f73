"""Project in which the real tools of a case run: a temporary copy, or the current one."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, ignore_changes, open_temporary_folder, quote_names
from aurora.faults.paths import write_inside
from aurora.interpreter.simulation import cases
from aurora.interpreter.yaml import display_path
from aurora.tools import runtime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.simulation.cases import Case
    from aurora.tools.core import Project

_MAX_FILES = 2_000


@contextmanager
def open_case_project(case: Case, here: Project) -> Iterator[Project]:
    """Open the project of a case, and index it when the case runs tools.

    Args:
        case: case with its project.
        here: current project.

    Raises:
        Fault: NOT_FOUND or INVALID_INPUT when the folder or a file of the case cannot be used.
    """
    if case.project == cases.PROJECT_HERE:
        yield here
        return
    with open_temporary_folder("case") as folder, ignore_changes():
        root = folder / "project"
        _create_project(case, root)
        with runtime.Workspace(root, internal=True) as made:
            if case.script.runs_tools:
                made.memory.index(made.root)
            if not case.read_only:
                yield made
                return
        with runtime.Workspace(root, read_only=True, internal=True) as made:
            yield made


def _create_project(case: Case, root: Path) -> None:
    if case.project is None:
        root.mkdir()
    else:
        _copy_project(case, root)
    for name, text in case.files.items():
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or name.startswith("/") or "\0" in name:
            raise Fault(Code.INVALID_INPUT, f'{display_path(case.path)}: "{name[:80]}" is outside the case\'s project')
        try:
            write_inside(root.resolve(), "/".join(parts), text.encode("utf-8"))  # a copied folder may contain links
        except Fault as fault:
            raise Fault(Code.INVALID_INPUT, f"{display_path(case.path)}: {fault.message}") from None
        except (OSError, ValueError) as error:
            message = f'{display_path(case.path)}: file "{name[:80]}" cannot be written: {error}'
            raise Fault(Code.INVALID_INPUT, message) from None


def _copy_project(case: Case, root: Path) -> None:
    """Copy the folder next to the case's file; reject any folder above it."""
    home = case.path.parent.resolve()
    try:
        source = (home / str(case.project)).resolve()
    except (OSError, ValueError, RuntimeError):
        source = home
    if not source.is_relative_to(home) or source == home or not source.is_dir():
        raise Fault(
            Code.INVALID_INPUT,
            f'{display_path(case.path)}: "{case.project}" is not a folder next to it',
            help='write `project: here`, a folder next to the file, or the files under "files"',
        )
    if sum(1 for _ in source.rglob("*")) > _MAX_FILES:
        raise Fault(
            Code.INVALID_INPUT, f'{display_path(case.path)}: "{case.project}" contains more than {_MAX_FILES:,} files'
        )
    try:
        shutil.copytree(source, root, symlinks=True)
    except shutil.Error as error:
        names = sorted(Path(place).name for place, *_ in error.args[0])
        message = f'{display_path(case.path)}: in "{case.project}", {quote_names(names[:3])} cannot be copied'
        raise Fault(Code.INVALID_INPUT, message, help="Put only regular files into it.") from None
