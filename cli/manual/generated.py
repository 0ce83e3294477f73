"""Files generated from the declarations of commands, tools and checks.

`python -m aurora.cli.manual.generated FOLDER` writes them. The same declarations always
give the same bytes, so a test finds a file that is out of date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.cli import manual
from aurora.faults import write_atomically
from aurora.tools.catalog import render_reference
from aurora.tools.core import ToolRegistry
from aurora.tools.mcp import format_early_answers

from .reference_tables import (
    format_doctor_page,
    format_environment_page,
    format_language_page,
    format_secrets_page,
    format_setup_page,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_COMMAND_TABLE = '''\
"""The commands of the tools; `make commands` generates this file from the declarations."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
%s
}
"""Words of a command -> its tool and its line of help; `aur --help` imports no tool."""

UNLISTED: frozenset[str] = frozenset(
    (
%s
    )
)
"""Words of the commands that the help does not list."""
'''
_ALIAS_TABLE = '''\
"""The aliases of the tools; `make commands` generates this file from the declarations."""

from __future__ import annotations

ALIASES: dict[str, str] = {
%s
}
"""Alias, case-sensitive -> the tool's name; looking up an alias imports no tool."""
'''
_PHASE_TABLE = '''\
"""The tools that phases may use; `make commands` generates this file from the declarations."""

from __future__ import annotations

PHASE_TOOLS: tuple[str, ...] = (
%s
)
"""Tools that a phase of any workflow may use; reading the names imports no tool."""

JOB_TOOLS: tuple[str, ...] = (
%s
)
"""Further tools for the phases of a job that a person starts in a terminal."""
'''


def format_command_table() -> str:
    """Return the module with the commands of all tools."""
    tools = ToolRegistry(aliases={}).load_all()
    commands = {tool.command.words: (tool.name, tool.command.help) for tool in tools if tool.command}
    rows = (f"{_quote(words)}: ({_quote(name)}, {_quote(line)})" for words, (name, line) in sorted(commands.items()))
    unlisted = sorted(tool.command.words for tool in tools if tool.command and not tool.command.is_listed)
    return _COMMAND_TABLE % (_format_rows(rows), "\n".join(f"        {_quote(words)}," for words in unlisted))


def format_alias_table() -> str:
    """Return the module with the aliases of all tools."""
    aliases = {alias: tool.name for tool in ToolRegistry(aliases={}).load_all() for alias in tool.alias_names}
    return _ALIAS_TABLE % _format_rows(f"{_quote(alias)}: {_quote(name)}" for alias, name in sorted(aliases.items()))


def format_phase_table() -> str:
    """Return the module with the tools that phases may use."""
    tools = ToolRegistry(aliases={}).load_all()
    phases = sorted(tool.name for tool in tools if tool.phase_use == "phases")
    jobs = sorted(tool.name for tool in tools if tool.phase_use == "jobs")
    return _PHASE_TABLE % (_format_rows(map(_quote, phases)), _format_rows(map(_quote, jobs)))


def _build_manual() -> str:
    return manual.build_manual()  # imported at the call, when the table of commands has been written


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _format_rows(rows: Iterable[str]) -> str:
    return "\n".join(f"    {row}," for row in rows)


GENERATED_FILES: Mapping[str, Callable[[], str]] = {
    "cli/parser/command_table.py": format_command_table,
    "tools/core/alias_table.py": format_alias_table,
    "tools/core/phase_table.py": format_phase_table,
    "tools/mcp/early_answers.json": format_early_answers,
    "COMMANDS.md": _build_manual,
    "tools/catalog/reference.md": render_reference,
    "docs/guide/setup.md": format_setup_page,
    "docs/reference/doctor.md": format_doctor_page,
    "docs/reference/environment.md": format_environment_page,
    "docs/reference/language.md": format_language_page,
    "docs/reference/secrets.md": format_secrets_page,
}
"""Path from the top of the checkout -> the function that returns the file's text, in the order of writing."""


def main() -> None:
    """Write the files into the checkout that the command line names, each atomically."""
    for name, make in GENERATED_FILES.items():
        write_atomically(Path(sys.argv[1]) / name, make().encode("utf-8"))


if __name__ == "__main__":
    main()
