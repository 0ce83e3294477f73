"""Lines on the coverage of a workflow: how much was taken, and what was not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.render.view import Each, Line

if TYPE_CHECKING:
    from collections.abc import Mapping

_COUNTERS = {
    "phases": "phases",
    "rules_true": "rules taken",
    "rules_false": "rules false",
    "bounds": "bounds used up",
    "error_routes": "error routes",
    "skips": "phases skipped",
}


def _format_counters(item: Mapping[str, Any]) -> str:
    counters = {label: item["coverage"][key] for key, label in _COUNTERS.items()}
    return ", ".join(f"{label} {one['taken']}/{one['of']}" for label, one in counters.items() if one["of"])


def _list_incomplete_rules(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rules of taken phases that were never true, or never false, with what they lack."""
    found: list[Mapping[str, Any]] = []
    for rule in item["coverage"]["rules"]:
        sides = {"true": rule.get("true", 0), "false": rule.get("false"), "spent": rule.get("otherwise")}
        lacks = [side for side, count in sides.items() if count == 0]
        if lacks and rule["phase"] not in item["coverage"]["untaken_phases"]:
            found.append({**rule, "when": rule.get("when") or "without when", "lacks": " or ".join(lacks)})
    return found


COVERAGE = (
    Line(_format_counters, before="  "),
    Each("coverage.untaken_phases", Line(('  phase "{_}" was not taken', "yellow"))),
    Each(_list_incomplete_rules, Line(('  rule {rule} of "{phase}" ({when}) was never {lacks}', "yellow"))),
)
"""The lines for an item with a `coverage`."""
