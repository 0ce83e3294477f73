"""Why a run went where it went, as a tree that reads like prose."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.cli.render.runs_list import STATUS_STYLES
from aurora.cli.terminal import strip_controls, to_single_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console
    from rich.text import Text

_STYLES = {"fired": "bold green", "spent": "bold yellow", "failed": "bold red", "false": "default"}
_SIGNS = {"fired": "→", "spent": "→", "failed": "✗"}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show each step, and under it each rule with what its parts were."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    status = output["status"]
    head = Text(f"run {strip_controls(output['run'])}", style="bold")
    head.append(f"  {strip_controls(output['workflow'])}  ")
    head.append(status, style=STATUS_STYLES.get(status, "default"))
    if output.get("forked_from"):
        head.append(f"  forked from {strip_controls(output['forked_from'])}; the steps before are shared", style="dim")
    console.print(head, soft_wrap=True)
    if output.get("file"):
        console.print(Text(f"note: {strip_controls(output['file'])}", style="yellow"), soft_wrap=True)
    for step in output["steps"]:
        console.print()
        for line in _format_step(step):
            console.print(line, soft_wrap=True)
    if output.get("next_offset") is not None:
        console.print(f"\nmore: --offset {output['next_offset']}", style="dim")
    if output.get("coming"):
        console.print()
        for line in _format_coming(output["coming"], output["run"]):
            console.print(line, soft_wrap=True)


def _format_step(step: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    head = Text(f"{step['seq']}. {strip_controls(step['phase'])}", style="bold cyan")
    head.append(
        f" led to {strip_controls(step['next_action'])}" if step.get("next_action") else " led nowhere", style="bold"
    )
    if step["status"] != "complete":
        head.append(f"  {step['status']}", style="red")
    if step.get("edited"):
        head.append("  the phase was edited since; these rules are the recorded ones", style="yellow")
    yield head
    if step.get("items"):
        yield Text(f"   for each: {to_single_line(step['items'])}", style="dim")
    for rule in step.get("rules", ()):
        yield from _format_rule(rule)


def _format_rule(rule: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    verdict = rule["verdict"]
    line = Text(f"   {_SIGNS.get(verdict, '·')} ", style=_STYLES.get(verdict, "dim"))
    line.append(
        f"{'on_error' if rule['rule'] == 0 else 'rule {}'.format(rule['rule'])}, to {strip_controls(rule['then'])}: "
    )
    line.append(_describe_verdict(rule))
    if rule.get("note"):
        line.append(f"; {to_single_line(rule['note'])}", style="default")
    if rule.get("place"):
        line.append(f"  {strip_controls(rule['place'])}", style="dim")
    yield line
    for part in rule.get("parts", ()):
        yield Text(
            f"       {'  ' * part.get('depth', 0)}{_format_part(part)}", style="default" if verdict != "open" else "dim"
        )


def _describe_verdict(rule: Mapping[str, Any]) -> str:
    verdict, when = rule["verdict"], to_single_line(rule.get("when") or "")
    if rule["rule"] == 0:
        return "the phase failed"
    match verdict:
        case "fired" | "spent":
            return f"{when} is true" if when else "no condition, and nothing before it held"
        case "false":
            return f"{when} is false"
        case "failed":
            return f"{when or 'it'} could not be decided"
        case "open":
            return f"if {when}" if when else "always" if rule["rule"] == 1 else "else"
    return f"not reached, a rule before it held{f': {when}' if when else ''}"


def _format_part(part: Mapping[str, Any]) -> str:
    name = to_single_line(part["part"])
    state = part.get("state", "known")
    if state == "skipped":
        return f"{name} was not looked at: what stands before it had decided"
    if state == "failed":
        return f"{name} failed: {to_single_line(part['note'])}"
    value = part.get("value")
    text = to_single_line(
        value if isinstance(value, str) and value.startswith("(") else json.dumps(value, ensure_ascii=False)
    )
    return f"{name} = {text}" + (f", for {to_single_line(part['note'])}" if part.get("note") else "")


def _format_coming(coming: Mapping[str, Any], run: str) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    needs = ", ".join(coming.get("needs", ()))
    yield Text(
        f"next: {strip_controls(coming['phase'])}" + (f", which needs {strip_controls(needs)}" if needs else ""),
        style="bold",
    )
    for rule in coming.get("rules", ()):
        yield from _format_rule(rule)
    yield Text(f"go on: aur workflow run --run {strip_controls(run)}", style="dim")
