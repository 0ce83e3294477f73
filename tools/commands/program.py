"""Program of a command: its file, its environment, and the check that a clone did not bring it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, find_program_outside, list_safe_folders

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .policy import AllowedCommand

MARK_VARIABLE = "_AURORA_COMMAND"
"""Variable with a random value by which the processes that a program leaves running are found."""
_INHERITED = (
    *("HOME", "USER", "LOGNAME", "SHELL", "TZ", "TMPDIR", "LANG", "LANGUAGE"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT"),
)
_INHERITED_PREFIX = "LC_"
_BATCH_FILES = (".bat", ".cmd")
"""Programs that Windows starts through a shell, which reads their arguments again."""


def find_file(command: AllowedCommand, root: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Return the path of a command's program.

    Args:
        command: the command.
        root: the project's folder, in which no program is looked for.
        environ: the environment variables.

    Raises:
        Fault: UPSTREAM_ERROR when there is no such program.
    """
    missing = describe_missing_program(command, root, environ)
    if missing:
        raise Fault(Code.UPSTREAM_ERROR, missing, help="Install it, or correct its `path` in your configuration.")
    if command.path is not None:
        return str(command.path)
    return find_program_outside(command.program, root, environ) or command.program


def describe_missing_program(command: AllowedCommand, root: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Return a sentence that says why a program cannot be started; empty if it can."""
    if command.path is not None:
        if not (command.path.is_file() and os.access(command.path, os.X_OK)):
            return f'there is no program at "{command.path}", where your configuration has "{command.program}"'
        return _describe_batch_file(str(command.path))
    found = find_program_outside(command.program, root, environ)
    if found is None:
        return f'the program "{command.program}" is not in PATH, outside of the project'
    return _describe_batch_file(found)


def _describe_batch_file(path: str) -> str:
    if sys.platform == "win32" and path.lower().endswith(_BATCH_FILES):
        return f'"{path}" is a batch file, which only a shell can run'
    return ""


def build_environment(
    command: AllowedCommand, root: Path, mark: str, environ: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the whole environment of a program: what programs need to start, and what the person added.

    Args:
        command: the command, with the names of further variables.
        root: the project's folder, which is left out of PATH.
        mark: the value of `MARK_VARIABLE`.
        environ: the environment variables of this process.
    """
    names = {*_INHERITED, *command.variables}
    kept = {
        name: value
        for name, value in environ.items()
        if name in names or name.startswith(_INHERITED_PREFIX) or (os.name == "nt" and name.upper() in names)
    }
    own = {"PATH": os.pathsep.join(list_safe_folders(root, environ)), "TERM": "dumb", "NO_COLOR": "1"}
    return {**kept, **own, MARK_VARIABLE: mark}
