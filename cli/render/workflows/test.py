"""View of workflow cases: which passed, and where the others differ from what was expected."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from aurora.cli.render.view import Each, Line, Part, View, choose_style

from .coverage import COVERAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

_MARKS = {"passed": "ok", "failed": "FAILED", "broken": "BROKEN", "updated": "updated"}
_STYLES = {"passed": "green", "failed": "red", "broken": "red", "updated": "cyan"}


def _group_cases(output: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    groups = groupby(output["cases"], key=lambda case: case["file"])
    return [{"file": file, "cases": list(cases)} for file, cases in groups]


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _format_counts(output: Mapping[str, Any]) -> str:
    return ", ".join(f"{output[key]} {key}" for key in ("passed", "failed", "updated") if output.get(key))


RENDERERS: Mapping[str, View] = {
    "workflow.test": View(
        Each(
            _group_cases,
            Line(("{file}", "bold")),
            Each(
                "cases",
                Line((lambda case: f"  {_MARKS[case['status']]:8}", choose_style("status", _STYLES)), "{name}"),
                Line(("    {error}", "red")),
                Line(("    help: {help}", "dim")),
                Each(
                    "differences",
                    Line("    {place}: {where}"),
                    Line((lambda one: f"      expected  {_format_value(one['expected'])}", "green")),
                    Line((lambda one: f"      actual    {_format_value(one['actual'])}", "red")),
                ),
                Line(
                    ("    the path was {path:json}", "dim"),
                    when=lambda case: case.get("differences") and case.get("path"),
                ),
            ),
        ),
        Each("coverage", Line(("coverage of {workflow}", "bold")), *COVERAGE),
        Line(Part("{cases:count case}: "), _format_counts, style=lambda output: "green" if output["ok"] else "red"),
    ),
}
