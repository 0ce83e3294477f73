"""Printer of the tools' outputs: views by hand for daily ones, a generic one for the rest.

The generic printer shows an object as lines, a list of objects as a table, then texts, notes and hints.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from aurora.cli.exits import ExitCode
from aurora.cli.output import Column, Output, format_bytes, format_timestamp, put
from aurora.errors import escape_json, mark_material, show_hidden_name
from aurora.system.programs import SHIPPED_FOLDER
from aurora.tools import text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    View: TypeAlias = "Callable[[Any, Output], None]"

VIEW_MODULES: Mapping[str, str] = {
    "answer": "tools",
    "doctor": "setup",
    "graph": "memory",
    "hosts": "setup",
    "init": "setup",
    "jobs": "runs",
    "mem": "memory",
    "runs": "runs",
    "tools": "tools",
    "workflow": "workflows",
}
"""First word of a tool's name -> the module of this package whose `VIEWS` show such tools."""


class Shape(NamedTuple):
    """Selection of what the generic printer shows of an output.

    Attributes:
        head: the sentence in place of the object's lines, as a template of its fields.
        columns: the columns of its tables, the last ones are dropped first; all that are not empty by default.
        empty: the sentence for an empty list.
        hint: the line at the end.
    """

    head: str = ""
    columns: str = ""
    empty: str = ""
    hint: str = ""


SHAPES: Mapping[str, Shape] = {
    "agents.list": Shape(
        columns="name host scope description path",
        empty="no agents yet: a file such as .claude/agents/reviewer.md defines one",
    ),
    "agents.search": Shape(
        columns="name score host scope matched path",
        empty="no agent fits this task; run `aur agents list` to see all of them",
    ),
    "graph.diff": Shape(columns="change kind id target"),
    "graph.members": Shape(columns="kind id lines"),
    "hosts.list": Shape(columns="name found project_file title user_file"),
    "jobs.list": Shape(
        columns="name title phases needs run status updated_at",
        empty="no jobs: a job is a workflow whose phases have no prompts",
    ),
    "logs.list": Shape(columns="time tool status code surface duration_ms request_id"),
    "mem.activation": Shape(columns="place symbol activation base spread uses last_used id"),
    "mem.backup": Shape(head="backed up: {path} ({size_bytes})"),
    "mem.backups": Shape(
        columns="name made_at size_bytes reason", empty="no backups in {folder}; run `aur mem backup` to make one"
    ),
    "mem.extract": Shape(columns="path language chunks definitions references"),
    "mem.forget": Shape(head="forgotten:", columns="id kind subject", hint="`aur mem undo` restores it"),
    "mem.goals": Shape(columns="confidence goal path size words"),
    "mem.link": Shape(columns="path references resolved unresolved"),
    "mem.normalize": Shape(columns="path encoding line_ends lines characters"),
    "mem.related": Shape(columns="score place symbol why chunk"),
    "mem.themes": Shape(columns="size name coherence typical"),
    "mem.why": Shape(columns="state id path symbol"),
    "tools.list": Shape(
        columns="uses title risk command family mcp phase_use", empty="no tool is of that family and that risk"
    ),
}
"""Tool -> what is shown of it; a tool with neither a shape nor a view by hand is shown as it is."""


def _is_ok(output: Mapping[str, Any]) -> bool:
    return bool(output["ok"])


def _has_no_failure(output: Mapping[str, Any]) -> bool:
    return not output["failed"]


def _is_set_up(output: Mapping[str, Any]) -> bool:
    return bool(import_module(".setup", __package__).is_set_up(output))


SUCCESS_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "answer.check": _is_ok,
    "doctor.fix": _is_ok,
    "doctor.run": _is_ok,
    "init.plan": _has_no_failure,
    "init.run": _is_set_up,
    "jobs.run": lambda output: bool(output["exit_code"] == 0),
    "mem.check": _is_ok,
    "mem.repair": _is_ok,
    "mem.search": lambda output: not {"index", "complete"}.isdisjoint(output) or bool(output["hits"]),
    "workflow.backtest": _is_ok,
    "workflow.diff": lambda output: bool(output["same"]),
    "workflow.fix": _is_ok,
    "workflow.simulate": _is_ok,
    "workflow.step": lambda output: bool(output["status"] != "error"),
    "workflow.test": _is_ok,
    "workflow.validate": _is_ok,
}
"""Tool -> whether its output is a success; without an entry every output is.

A search that finds nothing in the index is one; without an index there was nothing to search.
"""


_FILES = frozenset({"path", "file"})
"""Fields with the name of a file."""


class Fields(dict[str, Any]):
    """JSON object whose absent fields are None: a compact output leaves out what has no value."""

    def __missing__(self, key: str) -> None:
        """Return None."""


def to_fields(value: Any, name: str = "") -> Any:
    """Return a JSON value whose objects have every field; names of files show their tabs and line breaks."""
    if isinstance(value, dict):
        return Fields((key, to_fields(inner, key)) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return [to_fields(inner) for inner in value]
    return show_hidden_name(value) if name in _FILES and isinstance(value, str) else value


def show_output(tool: str, output: Mapping[str, Any], *, as_json: bool, query: str = "", **marks: bool) -> ExitCode:
    """Print a tool's output and return the exit code for it.

    Args:
        tool: the tool's name.
        output: its output as JSON values.
        as_json: print the output and nothing else.
        query: the query of a search, whose matches are highlighted.
        marks: what the view finds in the output besides: `verbose` to show more, `filtered` if it is not all there is.
    """
    is_json_report = output.get("format") == "json" and not output.get("report")
    if as_json or is_json_report:
        print_json(output)
    else:
        _show_text(tool, output, {"query": query, **marks})
    check = SUCCESS_CHECKS.get(tool)
    return ExitCode.OK if check is None or check(output) else ExitCode.PROBLEMS


def _show_text(tool: str, output: Mapping[str, Any], marks: Mapping[str, Any]) -> None:
    """Print the view of an output, with short names of shipped files; one line says where they are."""
    shown = text.shorten_places(output)
    if isinstance(output.get("path"), str):  # of a view with a heading
        shown = {**shown, "path": output["path"]}
    elif shown != output and tool.startswith("workflow."):
        sys.stdout.write(f"shipped workflows: {SHIPPED_FOLDER}\n")
    out = Output()
    if view := find_view(tool):
        view(to_fields({**shown, **{name: value for name, value in marks.items() if value}}), out)
    else:
        print_generic(to_fields(shown), out, SHAPES.get(tool, Shape()))


def find_view(tool: str) -> View | None:
    """Return the function that prints a tool's output; None for a tool of the generic printer."""
    module = VIEW_MODULES.get(tool.partition(".")[0])
    views: Mapping[str, View] = import_module(f".{module}", __package__).VIEWS if module else {}
    return views.get(tool)


def print_json(output: Mapping[str, Any]) -> None:
    """Print indented JSON: mark foreign text, escape hidden characters and those that the stream lacks."""
    shown = mark_material(output)
    encoded = escape_json(json.dumps(shown, indent=2, ensure_ascii=False))
    try:
        # For a character that its encoding lacks, the stream would write
        # `\x…` or `\U…`, which is no JSON; so all are escaped as `\u…`.
        encoded.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        encoded = escape_json(json.dumps(shown, indent=2))
    sys.stdout.write(encoded + "\n")


_NOTES = ("note", "notice")
_TROUBLES = ("problems", "troubles")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")


def print_generic(output: Fields, out: Output, shape: Shape) -> None:
    """Print any output: single values as lines, lists of objects as tables, texts, notes, hints."""
    values = _flatten(output)
    lists = {name: value for name, value in values.items() if _is_table(value) or (value == [] and shape.empty)}
    texts = {name: value for name, value in values.items() if isinstance(value, str) and "\n" in value}
    aside = {*lists, *texts, *_NOTES, "next_offset", "truncated"}
    facts = {name: format_value(name, value) for name, value in values.items() if name not in aside}
    if shape.head:
        out.line(shape.head.format_map(facts))
    else:
        out.report({_to_label(name): value for name, value in facts.items()})
    _print_lists(lists, values, out, shape)
    for value in texts.values():
        out.text(value)
    for name in _NOTES:
        out.line((values[name], "yellow"))
    out.more(values["next_offset"])
    out.line((shape.hint if any(lists.values()) else "", "dim"))


def _print_lists(lists: Mapping[str, list[Any]], values: Fields, out: Output, shape: Shape) -> None:
    tables = [name for name in lists if name not in _TROUBLES]
    for name, rows in lists.items():
        if name in _TROUBLES:
            print_troubles(rows, out)
            continue
        out.line((_to_label(name) if len(tables) > 1 else "", "bold"))
        _print_table(rows, out, shape.columns)
        out.line("" if rows else shape.empty.format_map(values))


def print_troubles(rows: Sequence[Mapping[str, Any]], out: Output) -> None:
    """Print each trouble as a warning with its help."""
    for one in rows:
        out.line((f"warning: {put('', one.get('path'), ': ')}{one['message']}", "yellow"))
        out.line(put("  help: ", one.get("help")))


def _flatten(value: Mapping[str, Any]) -> Fields:
    """Return an object with the fields of the objects inside, and `place` for a path and its lines."""
    flat = Fields()
    has_place = isinstance(value.get("path"), str) and isinstance(value.get("lines"), str)
    for name, inner in value.items():
        is_record = isinstance(inner, dict) and any(isinstance(one, str | bool | None) for one in inner.values())
        if is_record:
            flat.update(_flatten(inner))
        elif has_place and name == "path":
            flat["place"] = f"{inner}:{value['lines']}"
        elif not (has_place and name == "lines"):
            flat[name] = inner
    return flat


def _to_label(name: str) -> str:
    return name.removesuffix("_bytes").replace("_", " ")


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _print_table(rows: Sequence[Mapping[str, Any]], out: Output, wanted: str) -> None:
    flat = [_flatten(row) for row in rows]
    names = wanted.split() or list(dict.fromkeys(name for row in flat for name in row))
    cells = {name: [format_value(name, row[name]) for row in flat] for name in names}
    # An empty column would take room from its neighbours.
    shown = {name: texts for name, texts in cells.items() if any(texts)}
    columns = [_lay_out_column(name, at, shown[name], flat) for at, name in enumerate(shown)]
    out.table(columns, list(zip(*shown.values(), strict=True)))


def _lay_out_column(name: str, place: int, texts: Sequence[str], rows: Sequence[Fields]) -> Column:
    """Lay out a column: a sentence may wrap, and a name or a path is dropped rather than broken."""
    is_number = all(isinstance(row[name], int | float | None) for row in rows)
    return Column(_to_label(name), place, wraps=any(" " in text for text in texts), is_number=is_number)


def format_value(name: str, value: Any) -> str:
    """Format one value in words: a size, a time, a count, a list, counts by name; empty for an absent one."""
    if isinstance(value, bool | int | float):
        return _format_number(name, value)
    if isinstance(value, dict):
        shown = [f"{key} {format_value(key, inner)}" for key, inner in value.items() if inner is not None]
        return _join_items(shown, value.values())
    if isinstance(value, list):
        return _join_items([_format_item(name, one) for one in value], value)
    return format_timestamp(value) if value and _MOMENT.match(value) else value or ""


def _join_items(texts: Iterable[str], values: Iterable[Any]) -> str:
    """Join the texts of items; objects among them may have commas of their own."""
    return ("; " if any(isinstance(one, dict) for one in values) else ", ").join(texts)


def _format_number(name: str, value: float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.endswith("bytes"):
        return format_bytes(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _format_item(name: str, item: Any) -> str:
    """Format an item of a list in a cell: of an object, what it is called."""
    if not isinstance(item, dict):
        return format_value(name, item)
    called = next((item[key] for key in ("name", "subject", "text", "id", "path") if item.get(key)), None)
    return str(called) if called else format_value(name, item)
