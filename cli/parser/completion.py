"""Completion of the names that a person types: workflows, phases, runs, tools and assistants."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from click.shell_completion import CompletionItem

import aurora
from aurora import hosts, memory
from aurora.errors import Fault
from aurora.interpreter.catalog.paths import WorkflowPaths
from aurora.memory.files import find_project
from aurora.tools.core import DEFAULT_WORKFLOW, PROJECT_WORKFLOWS
from aurora.tools.runtime import get_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import click

    Lister = Callable[[click.Context], Iterable[str]]

_MAX_RUNS = 50
_TYPEABLE = re.compile(r"[A-Za-z0-9_.-]{1,80}")
"""Names that a shell takes as they are; others are not offered."""
_KEY = re.compile(r"(?P<indent> +)(?P<name>[A-Za-z_][\w-]*)\s*:")
_BASE = re.compile(r"^extends:\s*[\"']?(?P<name>[A-Za-z0-9_-]+)", re.MULTILINE)
_MAX_FILE_CHARACTERS = 1_048_576
_MAX_BASES = 5


def _find_root(context: click.Context) -> Path:
    chain: click.Context | None = context
    while chain is not None:
        if named := chain.params.get("project"):
            return Path(named).expanduser().absolute()
        chain = chain.parent
    return find_project(Path.cwd())


def _map_workflows(context: click.Context) -> dict[str, Path]:
    """Map the names of the project's workflows and of the shipped ones to their files."""
    shipped = Path(aurora.__file__).parent / "workflows"
    paths = WorkflowPaths((("project", _find_root(context) / PROJECT_WORKFLOWS), ("shipped", shipped)))
    paths.scan()
    return paths.map_names()


def _list_phases(context: click.Context) -> Iterator[str]:
    """Yield the phases of the workflow in the line, without a parse of its file."""
    files = _map_workflows(context)
    name = context.params.get("workflow") or DEFAULT_WORKFLOW
    for _ in range(_MAX_BASES):
        if name not in files:
            return
        with files[name].open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MAX_FILE_CHARACTERS)
        yield from _find_phase_keys(text)
        base = _BASE.search(text)
        if base is None:
            return
        name = base["name"]


def _find_phase_keys(text: str) -> Iterator[str]:
    """Yield the keys directly under `phases:`."""
    _, _, rest = f"\n{text}".partition("\nphases:")
    indent = ""
    for line in rest.splitlines()[1:]:
        if line and not line[0].isspace() and line[0] != "#":
            return
        found = _KEY.match(line)
        if found and found["indent"] == (indent or found["indent"]):
            indent = found["indent"]
            yield found["name"]


def _list_runs(context: click.Context) -> Iterator[str]:
    yield "last"
    root = _find_root(context)
    if memory.has_memory(root):
        with suppress(Fault), memory.Memory.open_project(root, read_only=True) as opened:
            yield from (row.run for row in opened.journal.runs(_MAX_RUNS))


def _list_tools(context: click.Context) -> Iterable[str]:
    del context
    return get_registry().names()


def _list_hosts(context: click.Context) -> Iterator[str]:
    del context
    return (host.name for host in hosts.HOSTS)


class _Completion(NamedTuple):
    """Values of a parameter.

    Attributes:
        list_values: their lister.
        is_file: whether it may be a file as well, which is completed where no name fits.
        is_list: whether it may be several, separated by commas.
    """

    list_values: Lister
    is_file: bool = False
    is_list: bool = False


_BY_FIELD: dict[str, _Completion] = {
    "files": _Completion(_map_workflows, is_file=True),
    "from": _Completion(_map_workflows),
    "from_": _Completion(_map_workflows),
    "hosts": _Completion(_list_hosts, is_list=True),
    "of": _Completion(_map_workflows),
    "phase": _Completion(_list_phases),
    "run": _Completion(_list_runs),
    "tool": _Completion(_list_tools),
    "workflow": _Completion(_map_workflows),
}
"""Parameter of any command -> its completion."""
_BY_COMMAND: dict[tuple[str, str], _Completion] = {
    ("jobs run", "name"): _Completion(_map_workflows),
    ("tools call", "name"): _Completion(_list_tools),
    ("tools show", "name"): _Completion(_list_tools),
    ("workflow backtest", "workflow"): _Completion(_map_workflows, is_file=True),
    ("workflow graph", "name"): _Completion(_map_workflows, is_file=True),
    ("workflow run", "name"): _Completion(_map_workflows, is_file=True),
    ("workflow show", "name"): _Completion(_map_workflows),
}
"""Command and parameter -> its completion, where the name of the parameter does not tell."""


def complete_parameter(
    words: str, context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the completions of a command's parameter; where no names are known, those of its type.

    Args:
        words: the command, without `aur`.
        context: what was typed before.
        parameter: the parameter.
        incomplete: the beginning of its value.
    """
    name = parameter.name or ""
    known = _BY_COMMAND.get((words, name)) or _BY_FIELD.get(name)
    if known is None:
        return parameter.type.shell_complete(context, parameter, incomplete)
    before, comma, last = incomplete.rpartition(",") if known.is_list else ("", "", incomplete)
    found: list[CompletionItem] = []
    with suppress(Fault, OSError, ValueError):  # a completion is silent
        names = sorted(set(known.list_values(context)) - set(before.split(",")))
        fitting = (one for one in names if one.startswith(last) and _TYPEABLE.fullmatch(one))
        found = [CompletionItem(f"{before}{comma}{one}") for one in fitting]
    # bash forgets the names where an item for files is next to them
    return [CompletionItem(incomplete, type="file")] if known.is_file and not found else found
