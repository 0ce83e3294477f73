"""Views of the doctor: findings by group, then what puts them right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .view import Blank, Each, Line, View, When, choose_style

if TYPE_CHECKING:
    from collections.abc import Mapping

_STYLES = {"pass": "green", "warn": "yellow", "fail": "red", "skip": "dim"}

HEADING = Line(("=== {title} ===", "bold"))
FINDING = Line((lambda one: f"[{one['status'].upper()}]", choose_style("status", _STYLES)), " {message}")


def list_problems(groups: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the findings that are warnings or failures."""
    return [one for group in groups for one in group["findings"] if one["status"] in {"warn", "fail"}]


def _list_remedies(output: Mapping[str, Any]) -> list[str]:
    """Return each remedy once: those of `aur doctor --fix` first, marked with a star."""
    found = sorted(list_problems(output["groups"]), key=lambda one: not one["fixable"])
    return list(dict.fromkeys(f"{'  *' if one['fixable'] else '-'} {' '.join(one['steps'])}" for one in found))


_REPORT = View(
    When(
        "fixed",
        Line(("=== Fixes ===", "bold")),
        Each(
            "fixed",
            Line(("[DONE]", "green"), " {message}", when="done"),
            Line(("[LEFT]", "yellow"), " {message}", when="!done"),
        ),
        Blank(),
    ),
    Each("groups", HEADING, Each("findings", FINDING), Blank()),
    When(
        _list_remedies,
        Line(("=== Suggested Fixes ===", "bold")),
        Line(
            "- Run `aur doctor --fix`, which does this:",
            when=lambda output: any(one["fixable"] for one in list_problems(output["groups"])),
        ),
        Each(_list_remedies, Line("{_}")),
        Blank(),
    ),
    Line("{counts.pass} passed, {counts.warn:count warning}, {counts.fail} failed, {counts.skip} skipped"),
)

RENDERERS: Mapping[str, View] = {"doctor.run": _REPORT, "doctor.fix": _REPORT}
