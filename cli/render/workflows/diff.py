"""View of the difference between two editions of a workflow."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from aurora.cli.render.view import Blank, Each, Line, Part, View, choose_style

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "words": "·"}
_STYLES = {"added": "green", "removed": "red", "changed": "yellow", "words": "dim"}
_FIGURES = {"phases": "phases", "paths": "paths, at most", "longest_run": "calls of a run, at most"}


def _group_changes(output: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the changes by phase."""
    groups = groupby(output["changes"], key=lambda change: change["phase"])
    return [{"phase": phase or "the workflow", "changes": list(changes)} for phase, changes in groups]


def _list_figures(output: Mapping[str, Any]) -> list[str]:
    """Return the figures that differ: `paths, at most: 3 → 5`."""
    before, after = output["before"], output["after"]
    return [
        f"{label}: {_format_figure(before[key])} → {_format_figure(after[key])}"
        for key, label in _FIGURES.items()
        if before[key] != after[key]
    ]


def _format_figure(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _format_verdict(output: Mapping[str, Any]) -> str:
    names = f"{output['before']['called']} and {output['after']['called']}"
    if not output["changes"]:
        return f"{names} do the same"
    if output["same"]:
        return f"{names} do the same, in other words"
    count = sum(change["sign"] != "words" for change in output["changes"])
    breaking = sum(bool(change.get("breaking")) for change in output["changes"])
    verdict = f"{names} differ in {count} {'way' if count == 1 else 'ways'}"
    return f"{verdict}, {breaking} of them breaking" if breaking else verdict


RENDERERS: Mapping[str, View] = {
    "workflow.diff": View(
        Each(
            _group_changes,
            Line(("{phase}", "bold")),
            Each(
                "changes",
                Line(
                    (lambda change: f"  {_SIGNS[change['sign']]} {change['text']}", choose_style("sign", _STYLES)),
                    Part("  breaking", "bold red", when="breaking"),
                    (lambda change: f"  {change.get('is_at') or change.get('was_at') or ''}".rstrip(), "dim"),
                ),
                Line("      was {before}"),
                Line("      is  {after}"),
            ),
            Blank(),
        ),
        Each(_list_figures, Line("{_}")),
        Line(("a run in progress that has finished one of these phases returns to it: {stale:join}", "yellow")),
        Line((_format_verdict, lambda output: "green" if output["same"] else "red")),
    ),
}
