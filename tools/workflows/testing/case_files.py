"""Cases named by a caller: files, folders, workflows, or all of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code, Fault
from aurora.faults.paths import file_exists, resolve_inside
from aurora.interpreter.catalog import list_workflow_files
from aurora.interpreter.simulation import cases
from aurora.interpreter.yaml import display_path
from aurora.tools.workflows.files import NAME_PATTERN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.interpreter.simulation.cases import Case
    from aurora.tools.core import Context


class BrokenFile(NamedTuple):
    """File of a folder whose cases cannot be read.

    Attributes:
        path: the file.
        fault: why not.
    """

    path: Path
    fault: Fault

    @property
    def name(self) -> str:
        """Name of the file without its suffix, in place of the names of its cases."""
        return self.path.stem


def resolve_cases(files: Sequence[str], context: Context) -> tuple[Case | BrokenFile, ...]:
    """Resolve names to cases; without names the project's own, else the shipped ones.

    A file of a folder that cannot be read does not keep the others from running.

    Raises:
        Fault: NOT_FOUND for an unknown name or without any case, INVALID_INPUT for a named or only file without
            cases, FORBIDDEN for a path outside the project.
    """
    found: dict[tuple[Path, str], Case | BrokenFile] = {}
    if not files:
        found.update(((case.path, case.name), case) for case in _find_all_cases(context))
    for name in files:
        found.update(((case.path, case.name), case) for case in _find_named_cases(name, context))
    if not found:
        help_ = f'write a case in the folder "{cases.CASE_FOLDER}" next to its workflow'
        raise Fault(Code.NOT_FOUND, "there are no cases to run", help=help_)
    if len(found) == 1 and isinstance(only := next(iter(found.values())), BrokenFile):
        raise only.fault
    return tuple(found.values())


def _find_all_cases(context: Context) -> tuple[Case | BrokenFile, ...]:
    catalog = context.project.workflows
    folders: dict[Path, str] = {}
    for summary in catalog.list_summaries():
        folders.setdefault(catalog.find_path(summary.name).parent / cases.CASE_FOLDER, summary.source)
    for source in ("project", "shipped"):
        found: list[Case | BrokenFile] = []
        for folder, folder_source in folders.items():
            if folder_source == source:
                found += _read_folder(folder)
        if found:
            return tuple(found)
    return ()


def _find_named_cases(name: str, context: Context) -> tuple[Case | BrokenFile, ...]:
    if NAME_PATTERN.fullmatch(name) and not file_exists(context.root / name):
        folder = context.project.workflows.find_path(name).parent / cases.CASE_FOLDER
        found = tuple(case for case in _read_folder(folder) if _is_case_of(case, name))
        if not found:
            message = f'workflow "{name}" has no cases in "{display_path(folder)}"'
            raise Fault(Code.NOT_FOUND, message, help=f"write them in `{cases.CASE_FOLDER}/{name}.yaml` next to it")
        return found
    path = resolve_inside(context.root, name)
    return tuple(_read_folder(path)) if path.is_dir() else cases.read_cases(path)


def _is_case_of(case: Case | BrokenFile, workflow: str) -> bool:
    """Return whether it is a case of a workflow, or a broken file with its name."""
    return case.name == workflow if isinstance(case, BrokenFile) else case.workflow == workflow


def _read_folder(folder: Path) -> list[Case | BrokenFile]:
    found: list[Case | BrokenFile] = []
    for file in list_workflow_files(folder):
        try:
            found += cases.read_cases(file)
        except Fault as fault:
            found.append(BrokenFile(file, fault))
    return found
