"""Which workflows are meant: names, files, folders, or all that would be used."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..faults import Code, Fault
from ..interpreter.naming import shown
from ..interpreter.shelf import workflow_files
from .inside import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from .context import Context

NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")


def targets(files: Sequence[str], context: Context) -> tuple[tuple[str, str], ...]:
    """What to look at: how it is called, and the name or the path by which the catalog finds it.

    Raises:
        Fault: NOT_FOUND for a file that does not exist and a folder that holds no workflow, FORBIDDEN for what lies
            outside the project.
    """
    if not files:
        return tuple((name, name) for name in context.workspace.workflows.names())
    found = (target for name in files for target in _of(name, context.root))
    return tuple({asked: (called, asked) for called, asked in found}.values())


def _of(name: str, root: Path) -> Iterator[tuple[str, str]]:
    if NAME.fullmatch(name) and not (root / name).is_file():
        yield name, name
        return
    path = inside(root, name)
    if not path.is_dir():
        yield shown(path) if PurePath(name).is_absolute() else name, str(path)
        return
    held = workflow_files(path)
    if not held:
        raise Fault(
            Code.NOT_FOUND,
            f'there is no workflow in "{shown(path)}"',
            help='A workflow is a file that ends in ".yaml" or ".yml"; folders inside the folder are not looked into.',
        )
    for file in held:
        # a link that leads nowhere is a problem of that file, and no reason to look at none of them
        yield shown(file), str(inside(root, str(file)) if file.exists() else file)
