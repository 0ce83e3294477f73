"""Views of `aur init`: the plan with its diffs, and the outcome with its checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.memory.files import DATA_FOLDER

from .doctor import FINDING, HEADING, list_problems
from .view import Blank, Each, Line, View, When, choose_style

if TYPE_CHECKING:
    from collections.abc import Mapping

_ACTIONS = {"create": "created", "edit": "changed", "delete": "deleted"}
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_DIFF_HEADER_LINES = 2
_MAX_DIFF_LINES = 16


def _list_diff_lines(change: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if change["action"] == "delete":
        return []
    return [{"line": line, "sign": line[:1]} for line in change["diff"].splitlines()[_DIFF_HEADER_LINES:]]


def is_set_up(output: Mapping[str, Any]) -> bool:
    """Return whether `.aurora/` exists, without which nothing is written, and no named assistant failed."""
    return not output["failed"] and not any(trouble["where"] == DATA_FOLDER for trouble in output["troubles"])


def _is_ready(output: Mapping[str, Any]) -> bool:
    """Return whether an assistant starts Aurora now, and every check passed."""
    found = [one for group in output["checks"] for one in group["findings"]]
    is_connected = any(one["check"] == "mcp.config" and one["status"] == "pass" for one in found)
    is_unproved = any(one["kind"].startswith("mcp.http.") for one in found)
    if output["removed"] or not is_set_up(output):
        return False
    return is_connected and not is_unproved and not list_problems(output["checks"])


_PLAN = (
    Each(
        "changes",
        Line(("{action} {path}", "bold"), ("  {why:join}", "dim"), apart=True),
        Each(
            _list_diff_lines,
            Line(("  {line}", choose_style("sign", _DIFF_STYLES))),
            most=_MAX_DIFF_LINES,
            more="  … {left} more lines; --json shows them",
        ),
    ),
    Blank(when="changes"),
    Each("standing", Line(("{_} needs no change", "dim"))),
    Line("There is nothing to change.", when="!changes"),
)
_OUTCOME = (
    Each(
        "changes",
        Line((lambda one: f"{_ACTIONS[one['action']]} {one['path']}", "bold"), ("  {why:join}", "dim")),
    ),
    Line(
        lambda output: "Nothing was changed." if output["troubles"] else "Already set up; nothing to change.",
        when="!changes",
    ),
    Line(
        "indexed {indexed.files:count file}, {indexed.added:,} of them new: {indexed.chunks:count chunk} in memory",
        when="indexed",
    ),
    Each("checks", Blank(), HEADING, Each("findings", FINDING, Line("  help: {steps:join  }"))),
    Blank(when="checks"),
)
_REPORT = View(
    Each("hosts", Line(("{title}", "bold"), (lambda host: f"  {', '.join(host['found']) or 'named by you'}", "dim"))),
    When("planned", *_PLAN, otherwise=_OUTCOME),
    Each("troubles", Line(("warning: {message}", "yellow")), Line("  help: {help}")),
    Line(("not set up: {failed:join}", "yellow"), when="failed"),
    Each("advice", Line("note: {_}")),
    When(
        "planned",
        otherwise=(
            Line('Ready. Ask your assistant, for example: "Use aurora_query to find out how … works."', when=_is_ready),
        ),
    ),
)

RENDERERS: Mapping[str, View] = {"init.plan": _REPORT, "init.run": _REPORT, "init.remove": _REPORT}
