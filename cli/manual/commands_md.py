"""COMMANDS.md: every command, and every tool for phases, generated from their declarations.

The same declarations always give the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.main import AUR
from aurora.cli.parser import CommandGroup, DescribedArgument, format_examples
from aurora.tools.core import ToolRegistry

from .doctor_section import DOCTOR_SECTION
from .mcp_section import build_sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import BaseModel

    from aurora.interpreter.run import PhaseUse
    from aurora.tools.core import Tool

HEADER = """\
# Commands

Generated from the declarations of the commands and tools by `make commands`; edit those, not this file.

`aur` without a command shows what to do next in this project. `aur COMMAND --help` shows the text below."""

PHASE_TOOLS_HEADER = """\
## Tools for phases

These have no command. A phase names one with `uses`, passes arguments, and configures it with `params`."""

EXIT_CODE_MEANINGS: Mapping[ExitCode, str] = {
    ExitCode.OK: "success",
    ExitCode.PROBLEMS: "the request failed: a workflow with errors, a rejected call, an unknown name",
    ExitCode.USAGE: "the command line is wrong: an unknown option, a missing argument",
    ExitCode.BUG: "a bug in Aurora; the message names the file with the traceback",
    ExitCode.INTERRUPTED: "interrupted with Ctrl-C",
}


def build_manual() -> str:
    """Return the document, in Markdown, with a newline at its end."""
    toolbox = ToolRegistry()
    by_words = {tool.command.words: tool for tool in toolbox.load_all() if tool.command}
    parts = [HEADER, *build_sections(), DOCTOR_SECTION, *_describe_shared()]
    parts += [_describe_command(words, command, by_words.get(words)) for words, command in iter_leaf_commands(AUR)]
    uses = [tool for tool in toolbox.load_all() if not tool.command]
    parts += [
        PHASE_TOOLS_HEADER,
        *(_describe_phase_tool(tool) for tool in uses),
    ]
    return "\n\n".join(parts) + "\n"


def _describe_shared() -> Iterator[str]:
    yield "## For every command"
    yield "These options are accepted before and after a command."
    yield _format_options(build_common_options())
    yield "| exit code | meaning |\n|---|---|\n" + "\n".join(
        f"| {code.value} | {meaning} |" for code, meaning in EXIT_CODE_MEANINGS.items()
    )


def iter_leaf_commands(group: CommandGroup, *before: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that runs by itself, with its words after `aur`, sorted; a group may do so too."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, CommandGroup):
            if command.invoke_without_command:
                yield " ".join((*before, name)), command
            yield from iter_leaf_commands(command, *before, name)
        elif command is not None:
            yield " ".join((*before, name)), command


def _describe_command(words: str, command: click.Command, tool: Tool[Any, Any] | None) -> str:
    shared = {param.name for param in build_common_options()}
    own = [param for param in command.params if param.name not in shared]
    arguments = [param for param in own if isinstance(param, DescribedArgument)]
    options = [param for param in own if isinstance(param, click.Option)]
    parts = [f"## aur {words}", f"**{tool.title}.** {tool.description}" if tool else str(command.help)]
    parts.append(_format_usage(words, arguments, has_options=bool(options)))
    if arguments:
        parts.append(_format_arguments(arguments))
    if options:
        parts.append(_format_options(options))
    if tool:
        parts.append("```sh\n" + "\n".join(format_examples(tool)) + "\n```")
        parts.append(_describe_surfaces(tool))
    return "\n\n".join(parts)


def _format_usage(words: str, arguments: Iterable[DescribedArgument], *, has_options: bool) -> str:
    usage = ["aur", words, *(["[OPTIONS]"] if has_options else [])]
    usage += [str(argument.metavar) for argument in arguments]
    return f"```\n{' '.join(usage)}\n```"


def _describe_surfaces(tool: Tool[Any, Any]) -> str:
    """Describe the other surfaces of the tool, and its risk."""
    mcp = f" The tool `{tool.mcp}` is the same over MCP." if tool.mcp else ""
    does = "It changes nothing but the runs." if tool.runs_read_only else _RISK_TEXTS[tool.risk]
    if tool.writes_with:
        named = " or ".join(f"`{name}`" for name in tool.writes_with)
        does = f"It writes only with {named}; read-only mode forbids that."
    return f"{_PHASE_TEXTS[tool.phase_use].format(tool.name)}{mcp} {does}"


_PHASE_TEXTS: Mapping[PhaseUse, str] = {
    "phases": "A phase uses it as `{}`.",
    "jobs": "Only a job uses it in a phase, as `{}`.",
    "none": "Its tool is `{}`, which no phase may use.",
}
_RISK_TEXTS = {
    "read": "It changes nothing.",
    "write": "It writes to the memory; read-only mode forbids it.",
    "high": "It may lose data; read-only mode forbids it.",
}


def _describe_phase_tool(tool: Tool[Any, Any]) -> str:
    rows = [
        f"- arguments: {_list_fields(tool.input)}",
        f"- settings: {_list_fields(tool.params)}",
        f"- risk: {tool.risk}",
    ]
    return "\n\n".join([f"### {tool.name}", f"**{tool.title}.** {tool.description}", "\n".join(rows)])


def _list_fields(model: type[BaseModel]) -> str:
    """Return the names of a model's fields, the required ones first."""
    required = [f"`{name}` (required)" for name, spec in model.model_fields.items() if spec.is_required()]
    others = [f"`{name}`" for name, spec in model.model_fields.items() if not spec.is_required()]
    return ", ".join([*required, *others]) or "none"


def _format_arguments(arguments: Iterable[DescribedArgument]) -> str:
    rows = [f"| `{_escape_cell(str(one.metavar))}` | {_escape_cell(one.description)} |" for one in arguments]
    return "\n".join(["| argument | |", "|---|---|", *rows])


def _format_options(options: Iterable[click.Parameter]) -> str:
    taken = [one for one in options if isinstance(one, click.Option)]
    rows = [
        f"| `{_escape_cell(_format_option_usage(option))}` | {_escape_cell(option.help or '')} |" for option in taken
    ]
    return "\n".join(["| option | |", "|---|---|", *rows])


def _format_option_usage(option: click.Option) -> str:
    """Return `--limit INTEGER`, `--types code|know|reas`."""
    name = "/".join([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return name
    if isinstance(option.type, click.Choice):
        return f"{name} {'|'.join(option.type.choices)}"
    return f"{name} {option.metavar or _METAVARS.get(type(option.type), 'TEXT')}"


_METAVARS: Mapping[type, str] = {click.IntRange: "NUMBER", click.FloatRange: "NUMBER"}


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|")
