"""Views of `aur trust`: what a folder brings, and the list of trusted folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import Column, format_timestamp, make_console

from .view import Blank, Cell, Each, Line, Part, Table, View, choose_style

if TYPE_CHECKING:
    from collections.abc import Mapping

_REASONS = {
    "variable": "trusted, because AURORA_TRUST is set",
    "refused": "not trusted, because AURORA_TRUST is 0",
    "unlisted": "not trusted: its own workflows and agents are not used",
    "replaced": "not trusted: the folder that you trusted at this path was another one",
    "unreadable": "not trusted",
}
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "words": "~"}
_RISKS = {"read": "green", "write": "yellow", "high": "red", "unknown": "red"}
_STATES = {"trusted": "green", "replaced": "yellow", "missing": "dim"}


def _format_status(report: Mapping[str, Any]) -> str:
    since = report.get("since")
    return f"trusted since {format_timestamp(since)}" if since else _REASONS.get(report["reason"], "")


def _format_place(workflow: Mapping[str, Any]) -> str:
    return "replaces the shipped workflow of this name" if workflow["replaces"] else "new"


_REPORT = View(
    Line(("{folder}", "bold")),
    Line((_format_status, lambda report: "green" if report["trusted"] else "yellow")),
    Line(("{problem}", "red")),
    Each(
        "workflows",
        Line(("workflow {name}", "bold cyan"), ("  {file}", "dim"), "  ", _format_place, apart=True),
        Each("tools", Line("    phase {phase} uses {tool} ", ("({risk})", choose_style("risk", _RISKS)))),
        Each(
            "changes",
            Line("    ", lambda one: _SIGNS[one["sign"]], " {phase}", " {text}", Part("  {before} → {after}", "dim")),
        ),
        Line(
            ("    … {more_changes:,} more changes; `aur workflow diff {file}` shows them", "dim"), when="more_changes"
        ),
        Each(
            "prompts",
            Line("    prompt of {phase}, {characters:count character}: ", ("{begins}", "dim")),
        ),
        Line(("    … {more_prompts:count more prompt}: read them in {file}", "dim"), when="more_prompts"),
        Line(("    {errors:count error}, so it does not run", "red"), when="errors"),
        Each("first_errors", Line(("      {_}", "red"))),
    ),
    Blank(when="agents"),
    Each(
        "agents",
        Line(("agent {name}", "bold cyan"), ("  {file}", "dim")),
        Line("    uses {tools:join}", Part(", and {more_tools:count more tool}", "yellow", when="more_tools")),
        Line("    {description}"),
    ),
    Line(("… {more_files:count more file}, not listed here: look at them first", "yellow"), when="more_files"),
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


def show_trust_list(folders: list[dict[str, Any]]) -> None:
    """Print the list of trusted folders."""
    _LIST({"folders": folders}, make_console())
