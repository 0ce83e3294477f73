"""Cases named by a caller: files, folders, workflows, or all of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def resolve_cases(files: Sequence[str], context: Context) -> tuple[Case, ...]:
    """Resolve names to cases; without names the project's own, else the shipped ones.

    Raises:
        Fault: NOT_FOUND for an unknown name or without any case, INVALID_INPUT for a file without cases, FORBIDDEN for
            a path outside the project.
    """
    found: dict[tuple[Path, str], Case] = {}
    if not files:
        found.update(((case.path, case.name), case) for case in _find_all_cases(context))
    for name in files:
        found.update(((case.path, case.name), case) for case in _find_named_cases(name, context))
    if not found:
        help_ = f'write a case in the folder "{cases.CASE_FOLDER}" next to its workflow'
        raise Fault(Code.NOT_FOUND, "there are no cases to run", help=help_)
    return tuple(found.values())


def _find_all_cases(context: Context) -> tuple[Case, ...]:
    catalog = context.project.workflows
    folders: dict[Path, str] = {}
    for summary in catalog.list_summaries():
        folders.setdefault(catalog.find_path(summary.name).parent / cases.CASE_FOLDER, summary.source)
    for source in ("project", "shipped"):
        found: list[Case] = []
        for folder, folder_source in folders.items():
            if folder_source == source:
                found += _read_folder(folder)
        if found:
            return tuple(found)
    return ()


def _find_named_cases(name: str, context: Context) -> tuple[Case, ...]:
    if NAME_PATTERN.fullmatch(name) and not file_exists(context.root / name):
        folder = context.project.workflows.find_path(name).parent / cases.CASE_FOLDER
        found = tuple(case for case in _read_folder(folder) if case.workflow == name)
        if not found:
            message = f'workflow "{name}" has no cases in "{display_path(folder)}"'
            raise Fault(Code.NOT_FOUND, message, help=f"write them in `{cases.CASE_FOLDER}/{name}.yaml` next to it")
        return found
    path = resolve_inside(context.root, name)
    return tuple(_read_folder(path)) if path.is_dir() else cases.read_cases(path)


def _read_folder(folder: Path) -> list[Case]:
    found: list[Case] = []
    for file in list_workflow_files(folder):
        found += cases.read_cases(file)
    return found
