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
from aurora.tools.files.git import worktree

from .files import targets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language.definition import Definition
    from aurora.tools.core.context import Context

_REVISION = re.compile(r"(?P<revision>[^\s:]+):(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Edition:
    """A workflow, and how it is called."""

    called: str
    definition: Definition


@contextmanager
def edition(name: str, context: Context) -> Iterator[Edition]:
    """The edition that a name means: a workflow's name, a file, or `REVISION:file` for what git holds.

    Raises:
        Fault: NOT_FOUND for what is not there, FORBIDDEN for what lies outside the project, INVALID_INPUT for what
            cannot be read.
    """
    found = _REVISION.fullmatch(name)
    if found is None or (context.root / name).exists():
        yield _here(name, context)
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
    with committed(found["revision"], path, context) as made:
        yield made


@contextmanager
def committed(revision: str, path: Path, context: Context) -> Iterator[Edition]:
    """A project's file with its folder as git holds it at a revision.

    Raises:
        Fault: NOT_FOUND without git, for a revision that it does not know, and for a file that is not in it.
    """
    tree = worktree(context.root)
    if tree is None:
        raise Fault(Code.NOT_FOUND, "git keeps nothing of this project", help="Name two files.")
    relative = path.relative_to(context.root.resolve())
    called = f"{revision}:{relative.as_posix()}"
    with TemporaryDirectory(prefix="aurora-") as folder:
        tree.unpack(tree.commit(revision), relative.parent.as_posix(), Path(folder))
        held = Path(folder) / relative
        if not held.is_file():
            raise Fault(
                Code.NOT_FOUND,
                f'there is no file "{relative.as_posix()}" in "{revision}"',
                help=f"`git log -- {relative.as_posix()}` shows the commits that have it.",
            )
        catalog = Catalog(held.parent, context.project.tools)
        yield _read(called, str(held), catalog)


def shipped(name: str, context: Context) -> Edition | None:
    """The workflow of this name that comes with the program; None when there is none."""
    catalog = Catalog(None, context.project.tools)
    return _read(f"{name} as shipped", name, catalog) if name in catalog.names() else None


def _here(name: str, context: Context) -> Edition:
    found = targets((name,), context)
    if len(found) != 1:
        raise Fault(Code.INVALID_INPUT, f'"{name}" holds {len(found)} workflows', help="Name the file of one of them.")
    called, asked = found[0]
    return _read(called, asked, context.project.workflows)


def _read(called: str, asked: str, catalog: Catalog) -> Edition:
    definition, problems = catalog.shaped(asked)
    if definition is None:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{PurePath(called).name}" is too broken to be compared',
            help=f"`aur workflow validate {called}` shows what is wrong.",
            details={"problems": [problem.heading for problem in problems[:20]]},
        )
    return Edition(called, definition)
