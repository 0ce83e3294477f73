"""View of a backtest: the runs that diverge from their recordings, grouped by how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.render.view import Blank, Each, Line, View, When

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAX_RUNS = 10
_NOTES = {
    "start": 'began at "{phase}", and the workflow begins elsewhere now',
    "tool": 'the result of "{phase}" was made by another tool, or with other settings or arguments',
    "unknown": '"{phase}" was edited, and its result may have been made with other settings',
    "arguments": 'the result of "{phase}" was made from other inputs',
    "prompt": '"{phase}" received another prompt',
    "unasked": '"{phase}" no longer asks for the recorded answer',
    "dropped": '"{phase}" no longer takes the input "{name}"',
}
_HEADLINES = {
    "next_action": '"{phase}" leads elsewhere (step {step})',
    "gone": 'there is no phase "{phase}" any more (step {step})',
    "fails": '"{phase}" fails (step {step})',
    "unreadable": "the recording cannot be read",
    "answer": 'the answer to "{phase}" no longer fits (step {step})',
    "inputs": 'the inputs of "{phase}" no longer fit (step {step})',
    "result": 'the result of "{phase}" no longer fits (step {step})',
}


def _format_transition(transition: Mapping[str, Any]) -> str:
    target = (transition["then"] or "nowhere") + (" (early exit)" if transition.get("early_exit") else "")
    if transition.get("rule") is None:
        return f"{target}  by on_error" if transition["then"] else target
    reason = transition.get("when") or "without when"
    return f"{target}  by {'the else of ' if transition.get('spent') else ''}rule {transition['rule']}: {reason}"


def _format_runs(group: Mapping[str, Any]) -> str:
    runs: Sequence[str] = group["runs"]
    shown = ", ".join(runs[:_MAX_RUNS])
    return shown if len(runs) <= _MAX_RUNS else f"{shown} and {len(runs) - _MAX_RUNS} more"


def _list_values(group: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [{"path": path, "value": value} for path, value in group["divergence"].get("values", {}).items()]


def _has_both(group: Mapping[str, Any]) -> bool:
    found = group["divergence"]
    return found.get("old") is not None and found.get("new") is not None


_GROUP = (
    Line(
        ("{runs:count run}: ", "bold"),
        (lambda group: _HEADLINES[group["divergence"]["kind"]].format(**{"step": "", **group["divergence"]}), "red"),
    ),
    When(
        _has_both,
        Line(lambda group: f"  was  {_format_transition(group['divergence']['old'])}"),
        Line(lambda group: f"  is   {_format_transition(group['divergence']['new'])}"),
    ),
    Each(_list_values, Line(("       {path} = {value:json}", "dim"))),
    Each("divergence.faults", Line("  {path} {message}")),
    Line(("  at {divergence.place}", "dim")),
    Line((_format_runs, "dim"), before="  "),
    Blank(),
)

RENDERERS: Mapping[str, View] = {
    "workflow.backtest": View(
        When(
            "tried",
            Each("groups", *_GROUP),
            Each(
                "notes",
                Line(
                    ("note: {runs:count run}: ", "yellow"),
                    (
                        lambda note: _NOTES[note["kind"]].format(phase=note["phase"], name=note.get("name", "")),
                        "yellow",
                    ),
                ),
            ),
            Line(
                "{tried:count run} of {of} through {workflow}: {same} the same, {diverged} diverge",
                style=lambda output: "green" if output["ok"] else "red",
            ),
            otherwise=(
                Line('no run of "{of}" is recorded in this project: there is nothing to try'),
                Line(("help: {hint}", "dim")),
            ),
        ),
    ),
}
