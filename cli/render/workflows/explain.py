"""View of the reasons of a run: each step, its rules, and the values of their parts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.cli.render.runs import (
    STATUS_STYLES,
    STEP_STYLES,
    WAITS_FOR_PERSON,
    format_state,
    format_status,
    format_wait,
)
from aurora.cli.render.view import Blank, Each, Line, Part, View, When, choose_style

if TYPE_CHECKING:
    from collections.abc import Mapping

_STYLES = {"fired": "bold green", "spent": "bold yellow", "failed": "bold red", "false": "default"}
_VERDICTS = {
    "fired": ("{when} is true", "no condition, and nothing before it held"),
    "spent": ("{when} is true", "no condition, and nothing before it held"),
    "due": ("{when} is true", "no condition, and nothing before it held"),
    "false": ("{when} is false", "it is false"),
    "failed": ("{when} could not be decided", "it could not be decided"),
    "open": ("if {when}", "else"),
}
"""Verdict -> what is said of a rule with a condition, and of one without."""
_NOT_REACHED = ("not reached, a rule before it held: {when}", "not reached, a rule before it held")
_REASONS = {
    "limit": "the list is longer than its limit",
    "on_decline": "the person declined",
    "skipped": "the phase was skipped, as its `when` is false",
}
_SIGNS = {"fired": "→", "spent": "→", "failed": "✗"}


def _describe_verdict(rule: Mapping[str, Any]) -> str:
    when = rule.get("when")
    if rule["rule"] == 0:
        return _REASONS.get(rule.get("key", ""), "the phase failed")
    if rule["rule"] == 1 and not when and rule["verdict"] in {"fired", "due", "open"}:
        return "the only rule"
    conditional, unconditional = _VERDICTS.get(rule["verdict"], _NOT_REACHED)
    return conditional.format(when=when) if when else unconditional


def _format_part(part: Mapping[str, Any]) -> str:
    name, state, value = part["part"], part.get("state", "known"), part.get("value")
    if state == "skipped":
        return f"{name} was not evaluated: the part before it had decided"
    if state == "failed":
        return f"{name} failed: {part['note']}"
    text = value if isinstance(value, str) and value.startswith("(") else json.dumps(value, ensure_ascii=False)
    return f"{name} = {text}" + (f", for {part['note']}" if part.get("note") else "")


_RULES = Each(
    "rules",
    Line(
        (lambda rule: f"   {_SIGNS.get(rule['verdict'], '·')} ", choose_style("verdict", _STYLES, "dim")),
        Part("{key}, to {then}: ", when=lambda rule: rule["rule"] == 0),
        Part("rule {rule}, to {then}: ", when="rule"),
        _describe_verdict,
        "; {note}",
        ("  {place}", "dim"),
    ),
    Each(
        "parts",
        Line(lambda part: f"       {'  ' * part.get('depth', 0)}{_format_part(part)}"),
    ),
)


def _describe_target(step: Mapping[str, Any]) -> str:
    """Describe where a step led, or what it waits for; an answer decides on some in a step of its own."""
    if step.get("waits"):
        return f"  {format_wait(step)}"
    if step.get("next_action"):
        return f" led to {step['next_action']}"
    if step.get("kind"):
        return " began another workflow" if step["kind"] == "enter" else " was answered in part"
    if step["status"] in {"approved", "declined"}:
        return " asked the person"
    return "  asked for an answer" if step["status"] == "complete" else " led nowhere"


RENDERERS: Mapping[str, View] = {
    "workflow.explain": View(
        Line(
            ("run {run}", "bold"),
            "  {workflow}",
            (lambda run: f"  {format_status(run)}", choose_style("status", STATUS_STYLES)),
            ("  forked from {forked_from}; the steps before are shared", "dim"),
        ),
        Line(("{path}", "dim")),
        Line(("note: {file}", "yellow")),
        Each(
            "steps",
            Blank(),
            Line(
                ("{seq}. {phase}", "bold cyan"),
                (_describe_target, "bold"),
                (format_state, choose_style("status", STEP_STYLES, "red")),
                Part("  the phase was edited since; these rules are the recorded ones", "yellow", when="edited"),
            ),
            Line(("   for each: {items}", "dim")),
            _RULES,
        ),
        Line(("more: --offset {next_offset}", "dim"), apart=True),
        WAITS_FOR_PERSON,
        When(
            lambda run: run.get("coming") and run["status"] != "waiting",
            Line(("next: {coming.phase}", "bold"), (", which needs {coming.needs:join}", "bold"), apart=True),
            Each(lambda output: [output["coming"]], _RULES),
            Line(("go on: aur workflow run --run {run}", "dim")),
        ),
    ),
}
