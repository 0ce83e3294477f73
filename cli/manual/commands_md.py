"""COMMANDS.md: every command, and every tool for phases, generated from their declarations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import build_common_options
from aurora.cli.exits import ExitCode
from aurora.cli.main import AUR
from aurora.cli.parser.groups import CommandGroup
from aurora.cli.parser.parameters import DescribedArgument, format_examples
from aurora.tools.core import DEFAULT_TOOLS, ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import BaseModel

    from aurora.interpreter.run.ports import PhaseUse
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
    settings = f" Settings: {_list_fields(tool.params)}." if tool.params.model_fields else ""
    fields = f"Arguments: {_list_fields(tool.input)}.{settings} Risk: {tool.risk}."
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


RECORDED_RESPONSES = Path(__file__).resolve().parents[2] / "snapshots" / "workflows" / "test_soar_responses"
"""Responses that a test records from real runs; RUN and REQUEST replace the generated ids."""

REPLACED_TOOLS: Mapping[str, str] = {
    "aurora_index": "`aur mem index`",
    "aurora_context": "the assistant's own tool for reading files",
    "aurora_related": "`aur mem related`",
    "aurora_list_agents": "`aur agents list`",
    "aurora_search_agents": "`aur agents search`",
    "aurora_show_agent": "the assistant's own tool for reading files, or `aur agents show`",
}
"""Tools that Aurora offered over MCP once -> their replacements."""

_WALK_INTRO = """\
### A question in several turns

The assistant calls `aurora_query` once for each phase and thinks between the calls. A response contains
the next call: `next_call` has the arguments to send, and `needs` lists those to add. These responses were recorded from
real runs; `…` marks omitted text.

A simple question is answered after two calls. The second response:"""

_COMPLEX_INTRO = """\
A complex question goes through nine phases; where a response has a `prompt_template`, the next call has the answer:"""

_MAX_TEXT = 60
_MAX_ITEMS = 1
_MAX_DEPTH = 3


def build_sections() -> Iterator[str]:
    """Yield the paragraphs, in Markdown."""
    yield "## For assistants: three tools"
    more = "[Toolsets](docs/reference/tools.md#toolsets) add others on request."
    yield f"`aur mcp` offers these three to an assistant. {more}"
    yield "| tool | the same command | what it does |\n|---|---|---|\n" + "\n".join(_format_default_tools())
    yield _WALK_INTRO
    yield from _format_responses("SIMPLE")
    yield f"{_COMPLEX_INTRO} {' → '.join(_format_calls('COMPLEX'))}."
    yield "### What six earlier tools became"
    rows = (f"| `{name}` | {instead} |" for name, instead in REPLACED_TOOLS.items())
    yield "\n".join(("| no longer there | use instead |", "|---|---|", *rows))


def _format_default_tools() -> Iterator[str]:
    toolbox = ToolRegistry()
    for name in DEFAULT_TOOLS:
        tool = toolbox.find(name)
        yield f"| `{tool.mcp}` | `aur {tool.command.words if tool.command else ''}` | {tool.description} |"


def _format_responses(level: str) -> Iterator[str]:
    for response in [*_read_responses(level)][-1:]:
        told = {name: response[name] for name in _SHOWN_FIELDS if name in response}
        yield f"```json\n{json.dumps(_shorten_value(told), ensure_ascii=False, indent=1)}\n```"


def _format_calls(level: str) -> Iterator[str]:
    """Yield the phase of each call, with what the assistant adds to it."""
    for number, response in enumerate(_read_responses(level)):
        call = response["next_call"]
        if not number:
            yield f"`{response['phase']}`"
        needs = " and ".join(f"`{name}`" for name in call["needs"]) if call else ""
        yield f"`{call['arguments'].get('phase', '')}`{f' with {needs}' if needs else ''}" if call else "the end"


def _read_responses(level: str) -> Iterator[dict[str, Any]]:
    for path in sorted(RECORDED_RESPONSES.glob(f"*[[]{level}-*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


_SHOWN_FIELDS = (
    "phase",
    "progress",
    "status",
    "result",
    "prompt_template",
    "next_action",
    "early_exit",
    "next_call",
    "run",
)


def _shorten_value(value: Any, depth: int = 0) -> Any:
    """Shorten long texts and lists, and cut deep levels."""
    if isinstance(value, str):
        return value if len(value) <= _MAX_TEXT else f"{value[:_MAX_TEXT].rstrip()}…"
    if isinstance(value, dict | list) and value and depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, dict):
        return {name: _shorten_value(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list):
        kept = [_shorten_value(inner, depth + 1) for inner in value[:_MAX_ITEMS]]
        return [*kept, "…"] if len(value) > _MAX_ITEMS else kept
    return value


DOCTOR_SECTION = """\
## The output of the doctor

`aur doctor` prints one line per check: `[PASS]`, `[WARN]`, `[FAIL]`, or `[SKIP]` where the check depends on something
that is missing. `aur doctor --fix` applies the fixes marked with a star, and checks again. In a new project:

```text
=== MCP Integration Checks ===
[WARN] no assistant starts Aurora in this project
[PASS] aurora_query, aurora_search and aurora_get can be loaded
…
=== Workflow Checks ===
[PASS] …
=== Memory Checks ===
[WARN] there is no memory yet: …
[SKIP] there is no memory to check yet
…
=== Project Checks ===
[WARN] the folder ".aurora" is missing
…
=== System Checks ===
[PASS] Python …
…
=== Suggested Fixes ===
- Run `aur doctor --fix`, which does this:
  * Run `aur mem index`.
…
```

`aur doctor --fix` reports each step and leaves what needs a person: [the doctor](docs/reference/doctor.md)."""
