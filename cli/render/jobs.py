"""Views of jobs: the list, and one job's run, phase by phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .view import Each, Line, Part, View, choose_style

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENDINGS = {"ended": "done", "stopped": "stopped early", "failed": "failed"}
_STYLES = {"ended": "green", "stopped": "yellow", "failed": "red"}

RENDERERS: Mapping[str, View] = {
    "jobs.list": View(
        Each(
            "jobs",
            Line(("{name}", "bold cyan"), "  {title}"),
            Line(("    {phases:join  → }", "dim")),
            Line(lambda job: "".join(f" --set {name}=…" for name in job.get("needs", ())), before="    needs"),
            Line("    last run {last.run}: {last.status}, {last.updated_at:time} UTC", when="last"),
            empty="no jobs: a job is a workflow whose phases have no prompts",
        ),
    ),
    "jobs.run": View(
        Line("went on after {resumed_after:count step}", when="resumed_after"),
        Each(
            "steps",
            Line(
                Part("✓ ", "green", when=lambda step: step["status"] == "complete"),
                Part("✗ ", "red", when=lambda step: step["status"] != "complete"),
                ("{phase}", "bold"),
                (lambda step: f"  {step['duration_ms'] / 1000:.1f} s", "dim"),
            ),
            Line("    {error} [{code}]", when=lambda step: step["status"] != "complete"),
        ),
        Line(
            (lambda output: f"{output['job']}: {_ENDINGS[output['status']]}", choose_style("status", _STYLES)),
            ("  run {run}", "dim"),
        ),
        Line("{say}"),
        Line("{help}"),
    ),
}
