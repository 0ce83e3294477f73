"""Views of problems and of their fixes.

A problem has the form of a compiler's message: place, source line, caret, help and note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.render.registry import print_json
from aurora.cli.render.view import Each, Line, View, choose_style
from aurora.cli.terminal import format_count
from aurora.faults import escape_json, show_hidden

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console

_IDENTITY = ("path", "line", "column", "code", "message")
_STOPPING = frozenset({"W310", "W405", "W502", "W506"})
"""Codes of problems that make a run stop before its end."""
_STYLES = {"error": "bold red", "warning": "bold yellow"}


def print_problems(output: Mapping[str, Any], console: Console) -> None:
    """Print the problems and a summary, or the report in the requested format."""
    if output["format"] == "json" and not output["report"]:
        print_json(output)
    elif output["report"] or output["format"] != "text":
        if output["report"]:  # for other programs: no colour, no wrapping
            show = escape_json if output["format"] == "sarif" else show_hidden
            console.file.write(show(output["report"]).rstrip("\n") + "\n")
    else:
        _FIXES(output, console)
        _PROBLEMS({**output, "files": list(_show_problems_once(output["files"]))}, console)


def _format_margin(problem: Mapping[str, Any]) -> str:
    return " " * len(str(problem["line"]))


def _show_problems_once(files: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Leave out of each workflow the problems that one before it has: workflows that extend it share them."""
    shown: set[tuple[Any, ...]] = set()
    for checked in files:
        keys = [tuple(one[key] for key in _IDENTITY) for one in checked["problems"]]
        new = [one for one, key in zip(checked["problems"], keys, strict=True) if key not in shown]
        yield {**checked, "problems": new, "repeated": len(keys) - len(new)}
        shown.update(keys)


def _format_proof(checked: Mapping[str, Any]) -> str:
    """Return what was proved: `soar: 9 phases, at most 38 paths and 14 calls, every path ends`."""
    proof = checked["proof"]
    paths, calls = proof["paths"], proof["longest_run_calls"]
    many = "more than a million paths" if paths is None else f"at most {format_count(paths, 'path')}"
    if calls is None:
        long = ", a longest run of unknown length"
    else:
        long = f"{', at most' if paths is None else ' and'} {format_count(calls, 'call')}"
    parts = [format_count(proof["phases"], "phase"), f"{many}{long}", _format_end(checked)]
    if proof["token_budget"] is not None:
        parts.append(f"a budget of {format_count(proof['token_budget'], 'token')}")
    return f"{checked['workflow']}: {', '.join(parts)}"


def _format_end(checked: Mapping[str, Any]) -> str:
    """Say that every path ends only where no problem says that a run may stop before."""
    if not checked["proof"]["always_ends"]:
        return "a path that may not end"
    may_stop = any(one["code"] in _STOPPING for one in checked["problems"]) or checked.get("repeated")
    return "no endless loop" if may_stop else "every path ends"


def _format_verdict(output: Mapping[str, Any]) -> str:
    found = [format_count(output[kind], kind[:-1]) for kind in ("errors", "warnings") if output[kind]]
    return f" checked, {' and '.join(found) or 'no problems'}"


def _choose_verdict_style(output: Mapping[str, Any]) -> str:
    if not output["ok"]:
        return "red"
    return "yellow" if output["warnings"] else "green"


_FIXES = View(
    Each(
        "edits",
        Line(
            ("{path}:{line}:{column}: ", "bold"),
            ("fixed: ", "bold green"),
            lambda edit: f"{edit['old']} → {edit['new']} ",
            ("[{code} {name}]", "dim"),
        ),
    ),
    Line(("{edits:count problem} fixed", "green"), when="edits"),
)
_PROBLEMS = View(
    Each(
        "files",
        Each(
            "problems",
            Line(
                ("{path}:{line}:{column}: ", "bold"),
                ("{severity}: ", choose_style("severity", _STYLES)),
                ("{message} ", "bold"),
                ("[{code} {name}]", "dim"),
            ),
            Line((lambda problem: f"{_format_margin(problem)} |", "blue"), when="source"),
            Line(("{line} |", "blue"), lambda problem: f" {problem['source']}".rstrip(), when="source"),
            Line(
                (lambda problem: f"{_format_margin(problem)} | ", "blue"),
                ("{caret}", choose_style("severity", _STYLES)),
                when="source",
            ),
            *(
                Line(
                    (lambda problem, kind=kind: f"{_format_margin(problem)} = {kind}: ", "bold"),
                    f"{{{kind}}}",
                    when=kind,
                )
                for kind in ("help", "note")
            ),
        ),
        Line(("{workflow}: {repeated:count problem} of another workflow, shown above", "dim"), when="repeated"),
        Line((_format_proof, "dim"), when="proof"),
    ),
    Line("{files:count workflow}", _format_verdict, style=_choose_verdict_style),
)

RENDERERS = {"workflow.validate": print_problems, "workflow.fix": print_problems}
