"""Which cases are meant: files, folders, the cases of workflows, or all of the project's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.interpreter.catalog import list_workflow_files
from aurora.interpreter.simulation.cases import CASE_FOLDER, read_cases
from aurora.interpreter.yaml import display_path
from aurora.tools.files import resolve_inside
from aurora.tools.workflows.files import NAME_PATTERN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.interpreter.simulation.cases import Case
    from aurora.tools.core import Context


def resolve_cases(files: Sequence[str], context: Context) -> tuple[Case, ...]:
    """The cases, in the order in which they are named; without names the project's own, else the shipped ones.

    Raises:
        Fault: NOT_FOUND when there is none or a name means nothing, INVALID_INPUT for a file that says no cases,
            FORBIDDEN for one outside the project.
    """
    if not files:
        found = _find_all_cases(context)
    else:
        found = tuple(
            {(case.path, case.name): case for name in files for case in _find_named_cases(name, context)}.values()
        )
    if not found:
        help_ = f'a case is a file in the folder "{CASE_FOLDER}" beside its workflow'
        raise Fault(Code.NOT_FOUND, "there are no cases to run", help=help_)
    return found


def _find_all_cases(context: Context) -> tuple[Case, ...]:
    catalog = context.project.workflows
    folders: dict[Path, str] = {}
    for one in catalog.list_summaries():
        folders.setdefault(catalog.find_path(one.name).parent / CASE_FOLDER, one.source)
    for source in ("project", "shipped"):
        wanted = [folder for folder, its in folders.items() if its == source]
        found = tuple(case for folder in wanted for file in list_workflow_files(folder) for case in read_cases(file))
        if found:
            return found
    return ()


def _find_named_cases(name: str, context: Context) -> tuple[Case, ...]:
    if NAME_PATTERN.fullmatch(name) and not (context.root / name).is_file():
        folder = context.project.workflows.find_path(name).parent / CASE_FOLDER
        found = tuple(
            case for file in list_workflow_files(folder) for case in read_cases(file) if case.workflow == name
        )
        if not found:
            message = f'workflow "{name}" has no cases in "{display_path(folder)}"'
            raise Fault(Code.NOT_FOUND, message, help=f"`{CASE_FOLDER}/{name}.yaml` beside it is where they stand")
        return found
    path = resolve_inside(context.root, name)
    inner = list_workflow_files(path) if path.is_dir() else [path]
    return tuple(case for file in inner for case in read_cases(file))
