"""Refusal of a command, with the lines by which the person may allow it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, list_names

from .settings import SECTION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .policy import CommandPolicy

_MAX_SHOWN_ARGUMENTS = 20
_MAX_SHOWN_CHARS = 200


def make_refusal(policy: CommandPolicy, program: str, arguments: Sequence[str], root: Path) -> Fault:
    """Return the fault of a command that no entry allows.

    Args:
        policy: what the person allows in the project.
        program: the program of the call.
        arguments: its arguments.
        root: the project's folder.
    """
    if policy.file is None:
        return Fault(
            Code.FORBIDDEN,
            "no program can be allowed: there is no home folder for config.toml",
            help="Set HOME to the folder with your configuration.",
            details={"program": program[:_MAX_SHOWN_CHARS]},
        )
    lines = format_entry(program, arguments, root)
    return Fault(
        Code.FORBIDDEN,
        _describe_refusal(policy, program),
        help=f'Only the person may allow it, with these lines in "{policy.file}".',
        details={
            "program": program[:_MAX_SHOWN_CHARS],
            "arguments": [text[:_MAX_SHOWN_CHARS] for text in arguments[:_MAX_SHOWN_ARGUMENTS]],
            "file": str(policy.file),
            "lines": lines,
        },
    )


def _describe_refusal(policy: CommandPolicy, program: str) -> str:
    name = program[:_MAX_SHOWN_CHARS]
    entries = [command.describe() for command in policy.commands if command.program == program]
    if entries:
        return f'"{name}" is not allowed with these arguments; your configuration allows {list_names(entries)}'
    return f'the program "{name}" is not allowed in this project'


def format_entry(program: str, arguments: Sequence[str], root: Path) -> list[str]:
    """Return the lines of TOML that allow one call in one project.

    Args:
        program: the program.
        arguments: the arguments, which become patterns; one with `*` matches more than itself.
        root: the project's folder.
    """
    shown = [text[:_MAX_SHOWN_CHARS] for text in arguments[:_MAX_SHOWN_ARGUMENTS]]
    lines = [f"[[{SECTION}]]", f"project = {_quote(str(root))}", f"program = {_quote(program[:_MAX_SHOWN_CHARS])}"]
    return [*lines, f"arguments = [{', '.join(map(_quote, shown))}]"] if shown else lines


def _quote(text: str) -> str:
    """Return a basic string of TOML, which escapes as JSON does, and DEL too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
