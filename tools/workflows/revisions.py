"""Revisions of a workflow: by name, by file, or from git."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, open_temporary_folder
from aurora.faults.paths import path_exists
from aurora.interpreter import Catalog
from aurora.tools.files import open_worktree

from .files import resolve_targets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language import Definition
    from aurora.tools.core import Context

_REVISION_PATTERN = re.compile(r"(?P<revision>[^\s:]+):(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class WorkflowRevision:
    """Workflow definition with a label."""

    label: str
    definition: Definition


@contextmanager
def open_revision(name: str, context: Context) -> Iterator[WorkflowRevision]:
    """Open a revision by a workflow's name, a file, or `REVISION:file` for a file in git.

    Raises:
        Fault: NOT_FOUND for what does not exist, FORBIDDEN for a path outside the project, INVALID_INPUT for what
            cannot be read.
    """
    found = _REVISION_PATTERN.fullmatch(name)
    if found is None or path_exists(context.root / name):
        yield _load_current(name, context)
        return
    # the file may exist only in git, so the path is checked without the file system
    root = context.root.resolve()
    path = Path(os.path.normpath(root / found["path"]))
    if not path.is_relative_to(root):
        raise Fault(
            Code.FORBIDDEN,
            f'"{found["path"][:200]}" is outside the project',
            help="Name a file of the project after the revision: HEAD:.aurora/workflows/tea.yaml.",
        )
    with open_committed(found["revision"], path, context) as made:
        yield made


@contextmanager
def open_committed(revision: str, path: Path, context: Context) -> Iterator[WorkflowRevision]:
    """Open a file of the project, with its folder, at a revision of git.

    Raises:
        Fault: NOT_FOUND without git, for a revision that it does not know, and for a file that is not in it.
    """
    tree = open_worktree(context.root)
    if tree is None:
        raise Fault(Code.NOT_FOUND, "this project is not in git", help="Name two files.")
    relative = path.relative_to(context.root.resolve())
    label = f"{revision}:{relative.as_posix()}"
    with open_temporary_folder("revision") as folder:
        tree.extract_folder(tree.resolve_commit(revision), relative.parent.as_posix(), folder)
        extracted = folder / relative
        if not extracted.is_file():
            raise Fault(
                Code.NOT_FOUND,
                f'there is no file "{relative.as_posix()}" in "{revision}"',
                help=f"`git log -- {relative.as_posix()}` shows the commits that have it.",
            )
        catalog = Catalog(extracted.parent, context.project.tools)
        yield _load_revision(label, str(extracted), catalog)


def load_shipped(name: str, context: Context) -> WorkflowRevision | None:
    """Load the shipped workflow of this name; None when there is none."""
    catalog = Catalog(None, context.project.tools)
    return _load_revision(f"{name} as shipped", name, catalog) if name in catalog.list_names() else None


def _load_current(name: str, context: Context) -> WorkflowRevision:
    found = resolve_targets((name,), context)
    if len(found) != 1:
        message = f'"{name}" contains {len(found)} workflows'
        raise Fault(Code.INVALID_INPUT, message, help="Name the file of one of them.")
    label, target = found[0]
    return _load_revision(label, target, context.project.workflows)


def _load_revision(label: str, target: str, catalog: Catalog) -> WorkflowRevision:
    definition, problems = catalog.load_with_problems(target)
    if definition is None:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{PurePath(label).name}" has too many errors to compare it',
            help=f"run `aur workflow validate {label}` for its problems",
            details={"problems": [problem.heading for problem in problems[:20]]},
        )
    return WorkflowRevision(label, definition)
