"""Views of `aur trust`: what a folder brings, and the list of trusted folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column, format_count, format_timestamp, make_console
from aurora.faults import show_hidden_line, show_hidden_name

from .view import Blank, Cell, Each, Line, Part, Table, View, choose_style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_REASONS = {
    "variable": "trusted, because AURORA_TRUST is set",
    "refused": "not trusted, because AURORA_TRUST is 0",
    "unlisted": "not trusted: its own workflows and agents are not used",
    "replaced": "not trusted: the folder that you trusted at this path was another one",
    "unreadable": "not trusted",
}
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "words": "~"}
_RISKS = {"read": "green", "write": "yellow", "high": "red", "unknown": "red"}
_MARGIN = 9
"""Columns of a line's number, and one that stays free."""
_STATES = {"trusted": "green", "replaced": "yellow", "missing": "dim"}


def _format_status(report: Mapping[str, Any]) -> str:
    since = report.get("since")
    return f"trusted since {format_timestamp(since)}" if since else _REASONS.get(report["reason"], "")


def _format_place(workflow: Mapping[str, Any]) -> str:
    return "replaces the shipped workflow of this name" if workflow["replaces"] else "its own"


def list_unshown_files(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """List the files that the person was not shown before."""
    return [file for file in report["files"] if file["state"] != "shown"]


def _select_unshown(field: str) -> Callable[[Mapping[str, Any]], list[Any]]:
    return lambda report: [one for one in report[field] if not one.get("shown")]


_REPORT = View(
    Line(("{folder}", "bold")),
    Line((_format_status, lambda report: "green" if report["trusted"] else "yellow")),
    Line(("{problem}", "red")),
    Each(
        _select_unshown("workflows"),
        Line(("workflow {name}", "bold cyan"), ("  {file}", "dim"), "  ", _format_place, apart=True),
        Each("tools", Line("    phase {phase} uses {tool} ", ("({risk})", choose_style("risk", _RISKS)))),
        Each(
            "changes",
            Line("    ", lambda one: _SIGNS[one["sign"]], " {phase}", " {text}", Part("  {before} → {after}", "dim")),
        ),
        Line(
            ("    … {more_changes:,} more changes; `aur workflow diff {file}` shows them", "dim"), when="more_changes"
        ),
        Line(("    {errors:count error}, so it does not run", "red"), when="errors"),
        Each("first_errors", Line(("      {_}", "red"))),
    ),
    Blank(when=lambda report: any(not one.get("shown") for one in report["agents"])),
    Each(
        _select_unshown("agents"),
        Line(("agent {name}", "bold cyan"), ("  {file}", "dim")),
        Line("    uses {tools:join}", Part(", and {more_tools:count more tool}", "yellow", when="more_tools")),
    ),
    Blank(when=lambda report: bool(list_unshown_files(report))),
    Each(
        "files",
        Line(
            ("{state:<8}", "yellow"),
            ("{path}", "bold"),
            "  {kind}, {lines:count line}",
            when=lambda file: file["state"] != "shown",
        ),
        Each(
            lambda file: file["signs"] if file["state"] != "shown" else (),
            Line(("         line {line}: {sign}: ", "red"), "{excerpt}"),
        ),
    ),
    Line(
        ("Signs are where to look first; they are no proof.", "dim"),
        when=lambda report: any(file["signs"] for file in list_unshown_files(report)),
    ),
    Line(("… {more_files:count more file}, which are not used", "yellow"), when="more_files"),
    Line(
        "It has no workflows or agents of its own.",
        when=lambda report: not (report["workflows"] or report["agents"] or report.get("incomplete")),
    ),
    Line(("It has more files than can be shown.", "yellow"), when="incomplete"),
)
_LIST = View(
    Table(
        "folders",
        Cell(Column("folder", wraps=True), "{folder}", "bold"),
        Cell(Column("since", drop_order=1), "{since:time}"),
        Cell(Column("state"), "{state}", choose_style("state", _STATES)),
        empty="no folder is trusted; run `aur trust` in one",
    ),
)


def show_trust_report(report: Mapping[str, Any]) -> None:
    """Print the trust in a folder, and what the folder brings."""
    _REPORT(report, make_console())


def format_whole_files(files: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Format the whole text of files, with line numbers and lines broken at the width.

    Args:
        files: the files of a report.
        width: the width of the terminal in columns.
    """
    room = max(width - _MARGIN, 20)
    for file in files:
        yield f"\n{show_hidden_name(file['path'])}  {file['kind']}, {format_count(file['lines'], 'line')}\n"
        text = file["text"].removesuffix("\n").replace("\r\n", "\n")
        for number, line in enumerate(text.split("\n"), 1):
            shown = show_hidden_line(line.expandtabs(4))
            pieces = [shown[at : at + room] for at in range(0, len(shown), room)] or [""]
            yield f"{number:>5} │ {pieces[0]}\n"
            yield from (f"      │ {piece}\n" for piece in pieces[1:])


def show_trust_list(folders: list[dict[str, Any]]) -> None:
    """Print the list of trusted folders."""
    _LIST({"folders": folders}, make_console())
