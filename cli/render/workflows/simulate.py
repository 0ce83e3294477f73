"""View of a simulation: the paths, the coverage, and what could not be reached."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from aurora.cli.render.view import Each, Line, View, When, choose_style
from aurora.cli.terminal import format_count

from .coverage import COVERAGE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MAX_PATHS = 40
_TIMES_SIGN = "\N{MULTIPLICATION SIGN}"
_STYLES = {"ended": "green", "stuck": "red", "cut": "yellow"}
_ENDS = {"ended": "end", "stuck": "stuck", "cut": "cut"}


def _format_head(workflow: Mapping[str, Any]) -> str:
    calls = (workflow.get("longest") or {"calls": 0})["calls"]
    return f"  {format_count(workflow['paths_walked'], 'path')}, the longest of {format_count(calls, 'call')}"


def _format_rest(workflow: Mapping[str, Any]) -> str:
    rest = workflow["paths_walked"] - min(len(workflow["paths"]), _MAX_PATHS)
    return f"  … {rest} more" if rest else ""


def _name_suspect(suspect: Mapping[str, Any]) -> str:
    rule = suspect.get("rule")
    kinds = {"phase": "phase", "rule": f"rule {rule} of", "else": f"the else of rule {rule} of"}
    return f'{kinds[suspect["kind"]]} "{suspect["phase"]}"'


def _format_verdict(workflow: Mapping[str, Any]) -> str:
    if workflow.get("covered"):
        skips = workflow["coverage"]["skips"]
        others = "" if skips["taken"] == skips["of"] else "; not every `when` of a phase was tried both ways"
        return f"  every phase and every rule was taken, and every path that was tried ends{others}"
    parts = [format_count(len(workflow["suspects"]), "suspect")] if workflow["suspects"] else []
    parts += [f"{format_count(workflow['unended'], 'path')} without an end"] if workflow["unended"] else []
    left_out = workflow.get("left_out")
    parts += [f"{format_count(left_out, 'part')} not reached within the bounds of the search"] if left_out else []
    return f"  {'no path is stuck; ' if workflow['ok'] else ''}{', '.join(parts)}"


def _choose_verdict_style(workflow: Mapping[str, Any]) -> str:
    return "green" if workflow.get("covered") else "yellow" if workflow["ok"] else "red"


def _list_made_up(workflow: Mapping[str, Any]) -> list[str]:
    named = (one.partition(".") for one in workflow.get("made_up", ()))
    return [
        f'  input "{name}" of "{phase}" was made up: on some path nothing had written it' for phase, _, name in named
    ]


def _format_steps(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the text of each step, with a count where steps are equal.

    `verify[2]` is rule 2 of the phase, and `verify[2 else]` is the `else` of that rule.
    """
    for name, same in groupby(map(_format_step, steps)):
        count = len(list(same))
        yield name if count == 1 else f"{name} {_TIMES_SIGN}{count}"


def _format_step(step: Mapping[str, Any]) -> str:
    for mark in ("failed", "skipped", "declined"):
        if step.get(mark):
            return f"{step['phase']}[{mark}]"
    return f"{step['phase']}[{step.get('rule', 'list too long')}{' else' if step.get('spent') else ''}]"


def _format_inner(one: Mapping[str, Any]) -> str:
    outputs = format_count(one["outputs"], "output")
    phase = f'  phase "{one["phase"]}": the workflow {one["workflow"]} '
    if one["outputs"]:
        return f"{phase}is simulated on its own, and gives {outputs} that runs of it end with"
    return f"{phase}is not walked: its output is made from its schema"


_SUMMARY = (
    Each("inner", Line((_format_inner, lambda one: "dim" if one["outputs"] else "yellow"))),
    *COVERAGE,
    Line(("  the search ended at a bound, after {calls:count call}: there may be more paths", "yellow"), when="!whole"),
    Each(
        "suspects",
        Line((lambda one: f"{one['place']}: {_name_suspect(one)} was never taken: ", "yellow"), "{reason}"),
    ),
    Each(_list_made_up, Line(("{_}", "yellow"))),
    Line((_format_verdict, _choose_verdict_style)),
)

RENDERERS: Mapping[str, View] = {
    "workflow.simulate": View(
        Each(
            "workflows",
            Line(("{workflow}", "bold"), _format_head),
            Each(
                "paths",
                Line(
                    lambda path: f"  {' → '.join(_format_steps(path['steps']))}",
                    (lambda path: f" → {_ENDS[path['status']]}", choose_style("status", _STYLES)),
                    ("  {reason}", "red"),
                ),
                most=_MAX_PATHS,
            ),
            Line((_format_rest, "dim")),
            When(
                "scripted",
                Line("  the walk reached its end", when="ok"),
                Line("  the walk did not reach an end", when="!ok"),
                otherwise=_SUMMARY,
            ),
            apart=True,
        ),
    ),
}
