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

`aur` without a command shows what to do next in this project. `aur COMMAND --help` says more of each. The last line of
a command has its tool for phases or jobs, its tool over MCP, and what it changes; read-only mode forbids writes."""

PHASE_TOOLS_HEADER = """\
## Tools for phases

These have no command. A phase names one with `uses`, passes arguments, and configures it with `params`; `*` marks what
is required."""

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
    parts = [HEADER, *_describe_shared()]
    parts += [_describe_command(words, command, by_words.get(words)) for words, command in iter_leaf_commands(AUR)]
    uses = [tool for tool in toolbox.load_all() if not tool.command]
    parts += [
        PHASE_TOOLS_HEADER,
        *(_describe_phase_tool(tool) for tool in uses),
        *build_sections(),
        DOCTOR_SECTION,
    ]
    return "\n\n".join(parts) + "\n"


def _describe_shared() -> Iterator[str]:
    yield "## For every command"
    yield "These options are accepted before and after a command."
    yield _format_parameters(build_common_options())
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
    parts = [f"## aur {words}", _cut_sentence(tool.command.help if tool and tool.command else str(command.help))]
    if own:
        parts.append(_format_parameters([*arguments, *options]))
    if tool:
        parts.append("```sh\n" + "\n".join(format_examples(tool)) + "\n```")
        parts.append(_describe_surfaces(tool))
    return "\n\n".join(parts)


def _describe_surfaces(tool: Tool[Any, Any]) -> str:
    """Describe the other surfaces of the tool, and its risk, in one line."""
    does = "changes only runs" if tool.runs_read_only else _RISK_TEXTS[tool.risk]
    if tool.writes_with:
        does = f"writes with {' or '.join(f'`{name}`' for name in tool.writes_with)}"
    surfaces = [_PHASE_TEXTS[tool.phase_use].format(tool.name), f"MCP `{tool.mcp}`" if tool.mcp else "", does]
    return f"{'; '.join(filter(None, surfaces))}."


_PHASE_TEXTS: Mapping[PhaseUse, str] = {"phases": "Phase `{}`", "jobs": "Job `{}`", "none": "Tool `{}`"}
_RISK_TEXTS = {"read": "changes nothing", "write": "writes", "high": "may lose data"}


def _describe_phase_tool(tool: Tool[Any, Any]) -> str:
    fields = f"Arguments: {_list_fields(tool.input)}. Settings: {_list_fields(tool.params)}. Risk: {tool.risk}."
    return "\n\n".join([f"### {tool.name}", _cut_sentence(tool.description), fields])


_REPEATED = " May be given several times."
_SHARED_BY_LISTS = {"--offset": "Number of results to skip."}


def _cut_sentence(text: str) -> str:
    """Return the first sentence: `--help` has the rest, and the page stays one that can be read."""
    return f"{text.partition('. ')[0].rstrip('.')}."


def _list_fields(model: type[BaseModel]) -> str:
    """Return the names of a model's fields, the required ones first."""
    required = [f"`{name}`*" for name, spec in model.model_fields.items() if spec.is_required()]
    others = [f"`{name}`" for name, spec in model.model_fields.items() if not spec.is_required()]
    return ", ".join([*required, *others]) or "none"


def _format_parameters(params: Iterable[click.Parameter]) -> str:
    return "\n".join(f"- {_describe_parameter(param)}".rstrip(": ") for param in params)


def _describe_parameter(param: click.Parameter) -> str:
    if not isinstance(param, click.Option):
        return f"`{param.metavar}`: {param.description if isinstance(param, DescribedArgument) else ''}"
    if _SHARED_BY_LISTS.get(param.opts[0]) == param.help:
        return f"`{_format_option_usage(param)}`"
    text, bracket, default = (param.help or "").replace(_REPEATED, "").partition(" [default: ")
    marks = f"{bracket}{default}{' Repeatable.' if param.multiple else ''}"
    return f"`{_format_option_usage(param)}`: {_cut_sentence(text.partition('; ')[0])}{marks}"


def _format_option_usage(option: click.Option) -> str:
    """Return `--limit INTEGER`, `--types code|know|reas`."""
    name = "/".join([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return name
    if isinstance(option.type, click.Choice):
        return f"{name} {'|'.join(option.type.choices)}"
    return f"{name} {option.metavar or _METAVARS.get(type(option.type), 'TEXT')}"


_METAVARS: Mapping[type, str] = {click.IntRange: "NUMBER", click.FloatRange: "NUMBER"}
