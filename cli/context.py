"""What every command is told besides its own arguments: which project, for whose eyes, and whether it may write."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.tools.runtime import Workspace


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """One call of `aur`.

    Attributes:
        project: the folder that was named, or None to look for it from the current one.
        json: print the tool's output and nothing else.
        read_only: refuse whatever would write.
    """

    project: str | None
    json: bool
    read_only: bool


def build_common_options() -> list[click.Parameter]:
    """The options that may stand before any command and after it."""
    return [
        click.Option(["--project"], metavar="DIR", help="The project; by default the one that holds this folder."),
        click.Option(["--json", "json_"], is_flag=True, help="Print the output as JSON and nothing else."),
        click.Option(["--read-only"], is_flag=True, help="Refuse whatever would write, as READ_ONLY=1 does."),
    ]


def take_common_options(context: click.Context, given: dict[str, Any]) -> CommonOptions:
    """The session of a command, taken out of `given`; its own options stand before those earlier on the line."""
    chain = [given]
    parent = context.parent
    while parent is not None:
        chain.append(parent.params)
        parent = parent.parent
    session = CommonOptions(
        project=next((one["project"] for one in chain if one.get("project") is not None), None),
        json=any(one.get("json_") for one in chain),
        read_only=any(one.get("read_only") for one in chain),
    )
    for name in ("project", "json_", "read_only"):
        given.pop(name, None)
    return session


def resolve_project_root(session: CommonOptions, elsewhere: Sequence[str] = ()) -> Path:
    """The folder that the command is about.

    Args:
        session: names it, or leaves it to be found.
        elsewhere: paths of the command; when none was named and the first lies outside the current project, the
            project that holds that path is meant.

    Raises:
        Fault: NOT_FOUND or FORBIDDEN when the folder is not there or cannot be read.
    """
    from aurora.memory.files import find_project  # noqa: PLC0415 - help does not need it

    here = _current_folder()
    if session.project is not None:
        return require_readable_folder(here / Path(session.project).expanduser(), session.project)
    root = find_project(here)
    if elsewhere:
        first = Path(elsewhere[0])
        if first.exists() and not first.resolve().is_relative_to(root):
            root = find_project(first)
    return require_readable_folder(root, str(root))


def require_readable_folder(path: Path, named: str) -> Path:
    """The folder, absolute and resolved.

    Raises:
        Fault: NOT_FOUND when it does not exist, INVALID_INPUT when it is no folder, FORBIDDEN when it cannot be read.
    """
    try:
        resolved = path.resolve(strict=True)
        if not resolved.is_dir():
            raise Fault(
                Code.INVALID_INPUT, f'the project "{named}" is not a folder', help="Name the folder that holds it."
            )
        with os.scandir(resolved) as entries:
            next(entries, None)
    except FileNotFoundError:
        raise Fault(
            Code.NOT_FOUND, f'the project "{named}" does not exist', help="Name an existing folder with --project."
        ) from None
    except PermissionError:
        raise Fault(
            Code.FORBIDDEN,
            f'the project "{named}" cannot be read',
            help="Give yourself permission to read the folder, or name another one with --project.",
        ) from None
    except (OSError, ValueError, RuntimeError) as error:  # a circle of links, a name too long, a NUL in it
        raise Fault(
            Code.INVALID_INPUT, f'the project "{named[:200]}" is not a usable path: {error}', help="Name a folder."
        ) from None
    return resolved


@contextmanager
def open_workspace(
    session: CommonOptions, elsewhere: Sequence[str] = (), *, reads: bool = False
) -> Iterator[Workspace]:
    """The project, open for one command.

    Args:
        session: which project, and whether it may be written.
        elsewhere: paths of the command, which may lie in another project.
        reads: the command only reads: where there is no database yet, none is made.
    """
    from aurora.memory.files import database_path  # noqa: PLC0415 - help does not need it
    from aurora.tools.runtime import Workspace  # noqa: PLC0415 - the tools are loaded once a command is known

    root = resolve_project_root(session, elsewhere)
    untouched = reads and not database_path(root).exists()
    with Workspace(root, read_only=session.read_only, untouched=untouched) as workspace:
        yield workspace


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise Fault(
            Code.NOT_FOUND, "the current folder no longer exists", help="Change into a folder that does."
        ) from None
