"""An edition of a workflow: by its name, by its file, or as git has a file at some revision."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
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
    """A workflow, and how it is called."""

    label: str
    definition: Definition


@contextmanager
def open_revision(name: str, context: Context) -> Iterator[WorkflowRevision]:
    """The edition that a name means: a workflow's name, a file, or `REVISION:file` for what git holds.

    Raises:
        Fault: NOT_FOUND for what is not there, FORBIDDEN for what lies outside the project, INVALID_INPUT for what
            cannot be read.
    """
    found = _REVISION_PATTERN.fullmatch(name)
    if found is None or (context.root / name).exists():
        yield _load_current(name, context)
        return
    # what git had may no longer be there, so its path is judged by its letters alone
    root = context.root.resolve()
    path = Path(os.path.normpath(root / found["path"]))
    if not path.is_relative_to(root):
        raise Fault(
            Code.FORBIDDEN,
            f'"{found["path"][:200]}" lies outside the project',
            help="Name a file of the project after the revision: HEAD:.aurora/workflows/tea.yaml.",
        )
    with open_committed(found["revision"], path, context) as made:
        yield made


@contextmanager
def open_committed(revision: str, path: Path, context: Context) -> Iterator[WorkflowRevision]:
    """A project's file with its folder as git holds it at a revision.

    Raises:
        Fault: NOT_FOUND without git, for a revision that it does not know, and for a file that is not in it.
    """
    tree = open_worktree(context.root)
    if tree is None:
        raise Fault(Code.NOT_FOUND, "git keeps nothing of this project", help="Name two files.")
    relative = path.relative_to(context.root.resolve())
    called = f"{revision}:{relative.as_posix()}"
    with TemporaryDirectory(prefix="aurora-") as folder:
        tree.extract_folder(tree.resolve_commit(revision), relative.parent.as_posix(), Path(folder))
        held = Path(folder) / relative
        if not held.is_file():
            raise Fault(
                Code.NOT_FOUND,
                f'there is no file "{relative.as_posix()}" in "{revision}"',
                help=f"`git log -- {relative.as_posix()}` shows the commits that have it.",
            )
        catalog = Catalog(held.parent, context.project.tools)
        yield _load_revision(called, str(held), catalog)


def load_shipped(name: str, context: Context) -> WorkflowRevision | None:
    """The workflow of this name that comes with the program; None when there is none."""
    catalog = Catalog(None, context.project.tools)
    return _load_revision(f"{name} as shipped", name, catalog) if name in catalog.list_names() else None


def _load_current(name: str, context: Context) -> WorkflowRevision:
    found = resolve_targets((name,), context)
    if len(found) != 1:
        raise Fault(Code.INVALID_INPUT, f'"{name}" holds {len(found)} workflows', help="Name the file of one of them.")
    called, asked = found[0]
    return _load_revision(called, asked, context.project.workflows)


def _load_revision(called: str, asked: str, catalog: Catalog) -> WorkflowRevision:
    definition, problems = catalog.load_with_problems(asked)
    if definition is None:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{PurePath(called).name}" is too broken to be compared',
            help=f"`aur workflow validate {called}` shows what is wrong.",
            details={"problems": [problem.heading for problem in problems[:20]]},
        )
    return WorkflowRevision(called, definition)
