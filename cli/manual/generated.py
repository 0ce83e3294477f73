"""Files generated from the declarations of commands, tools and checks.

`python -m aurora.cli.manual.generated FOLDER` writes them. The same declarations always
give the same bytes, so a test finds a file that is out of date.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.doctor import FINDING_CODES
from aurora.hosts import HOSTS
from aurora.interpreter.problems import list_kinds, summarize_page
from aurora.system.environment import VARIABLES, describe_values
from aurora.system.files import write_atomically
from aurora.system.secrets.rules import list_coverage
from aurora.tools.core import ToolRegistry
from aurora.tools.mcp.protocol_server import format_early_answers

from .commands_md import build_manual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from aurora.system.environment import Variable

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


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _format_rows(rows: Iterable[str]) -> str:
    return "\n".join(f"    {row}," for row in rows)


DOCS = Path(__file__).resolve().parents[2] / "docs"


_FIRST_SENTENCE = re.compile(r"^.*?[.:](?= |$)")


def format_language_page() -> str:
    """Return `language.md` with the table of problem codes."""
    rows = (
        (f"[{kind.code}](problems/{kind.code}.md)", kind.name, _get_first_sentence(summarize_page(kind.code)))
        for kind in sorted(list_kinds().values(), key=lambda kind: kind.code[1:])
    )
    return _replace_table("reference/language.md", "problem codes", _format_table(("code", "name", "meaning"), rows))


def format_doctor_page() -> str:
    """Return `doctor.md` with the table of finding codes."""
    rows = ((f"`{code}`", meaning) for code, meaning in sorted(FINDING_CODES.items()))
    return _replace_table("reference/doctor.md", "finding codes", _format_table(("code", "meaning"), rows))


def format_setup_page() -> str:
    """Return `setup.md` with the table of assistants and their files."""
    rows = ((host.title, f"`{host.name}`", _join_paths(host.project), _join_paths((host.user,))) for host in HOSTS)
    titles = ("assistant", "name", "in the project", "your own")
    return _replace_table("guide/setup.md", "assistants", _format_table(titles, rows))


def format_environment_page() -> str:
    """Return `environment.md` with the table of variables."""
    rows = ((f"`{variable.name}`", variable.meaning, _list_values(variable)) for variable in VARIABLES.values())
    table = _format_table(("variable", "what it does", "values"), rows)
    return _replace_table("reference/environment.md", "environment variables", table)


def format_secrets_page() -> str:
    """Return `secrets.md` with the table of kinds."""
    rows = ((kind, ", ".join(f"`{name}`" for name in names) or "—") for kind, names in list_coverage())
    return _replace_table("reference/secrets.md", "kinds of secrets", _format_table(("kind", "covers"), rows))


def _list_values(variable: Variable) -> str:
    return ", ".join(f"`{value}`" for value in variable.values) or describe_values(variable)


def _join_paths(paths: Iterable[str]) -> str:
    return " or ".join(f"`{path}`" for path in paths).replace("{config}", "~/.config").replace("{apps}", "APPS")


def _get_first_sentence(text: str) -> str:
    found = _FIRST_SENTENCE.match(text)
    return f"{found[0][:-1]}." if found else text


def _format_table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [titles, ("---",) * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _replace_table(page: str, name: str, table: str) -> str:
    """Replace the text between `<!-- generated: NAME -->` and `<!-- end -->`."""
    begin, end = f"<!-- generated: {name} -->\n", "\n<!-- end -->"
    before, _, rest = (DOCS / page).read_text(encoding="utf-8").partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        raise ValueError(f'{page} has no lines "{begin.strip()}" and "{end.strip()}": add them around the table')
    return f"{before}{begin}{table}{end}{after}"


GENERATED_FILES: Mapping[str, Callable[[], str]] = {
    "cli/parser/command_table.py": format_command_table,
    "tools/core/alias_table.py": format_alias_table,
    "tools/core/phase_table.py": format_phase_table,
    "tools/mcp/early_answers.json": format_early_answers,
    "COMMANDS.md": build_manual,
    "docs/guide/setup.md": format_setup_page,
    "docs/reference/doctor.md": format_doctor_page,
    "docs/reference/environment.md": format_environment_page,
    "docs/reference/language.md": format_language_page,
    "docs/reference/secrets.md": format_secrets_page,
}
"""Path from the top of the checkout -> the function that returns the file's text, in the order of writing."""


def main() -> None:
    """Write the files into the checkout that the command line names, each atomically.

    The manual reads the tables of commands and tools that this process has imported: when one of them has changed, a
    new process writes the rest.
    """
    root = Path(sys.argv[1])
    tables = [name for name in GENERATED_FILES if name.endswith(".py")]
    if [name for name in tables if _write(root / name, GENERATED_FILES[name]())]:
        again = [sys.executable, "-m", "aurora.cli.manual.generated", str(root)]
        subprocess.run(again, check=True)  # noqa: S603 - this program
        return
    for name, make in GENERATED_FILES.items():
        _write(root / name, make())


def _write(path: Path, text: str) -> bool:
    """Write a text; return whether it was another one."""
    data = text.encode("utf-8")
    is_new = not path.exists() or path.read_bytes() != data
    if is_new:
        write_atomically(path, data)
    return is_new


if __name__ == "__main__":
    main()
