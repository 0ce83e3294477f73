"""A run as a story: each phase, what came out, which rule fired, and why the others did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_json_lines, format_timestamp, strip_controls

from .runs_list import STATUS_STYLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console
    from rich.text import Text


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the run."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    status = output["status"]
    head = Text(f"run {strip_controls(output['run'])}", style="bold")
    head.append(f"  {strip_controls(output['workflow'])}  ")
    head.append(status, style=STATUS_STYLES.get(status, "default"))
    head.append(f"  {format_timestamp(output['created_at'])} UTC", style="dim")
    if output.get("forked_from"):
        head.append(f"  forked from {strip_controls(output['forked_from'])}", style="dim")
    console.print(head, soft_wrap=True)
    for step in output["steps"]:
        console.print()
        for line in _format_step(step):
            console.print(line, soft_wrap=True)
    if output.get("next_offset") is not None:
        console.print(f"\nmore: --offset {output['next_offset']}", style="dim")
    if status == "open" and output.get("next"):
        console.print()
        console.print(f"next: aur workflow step {output['next']} --run {output['run']}", style="dim")


def _format_step(step: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    head = Text(f"{step['seq']}. {strip_controls(step['phase'])}", style="bold cyan")
    if step["status"] != "complete":
        head.append(f"  {step['status']}", style="red")
    if step.get("duration_ms") is not None:
        head.append(f"  {step['duration_ms']:g} ms", style="dim")
    yield head
    for title, key in (("in    ", "inputs"), ("answer", "brought"), ("out   ", "result")):
        for number, line in enumerate(format_json_lines(step.get(key) or {})):
            yield Text.assemble((f"   {title if number == 0 else '      '}  ", "dim"), line)
    if step.get("error"):
        yield Text(f"   {step['error']['code']}: {strip_controls(step['error']['message'])}", style="red")
    if step.get("asked"):
        yield Text("   asked   the host was given a prompt", style="dim")
    yield from (_format_rule(rule) for rule in step.get("decision", ()))
    if step.get("next_action") and not step.get("decision"):
        yield Text(f"   → {step['next_action']}", style="bold")


def _format_rule(rule: Mapping[str, Any]) -> Text:
    """The rule that fired with an arrow, the others with what was false."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    when = strip_controls(rule["when"]) if rule.get("when") else ""
    if rule["fired"]:
        line = Text(f"   → {rule['then']}", style="bold green")
        line.append(
            f"  rule {rule['rule']}: " + (f"{when} is true" if when else "nothing before it held"), style="default"
        )
        if rule.get("spent"):
            line.append(f"; {strip_controls(rule['spent'])}", style="yellow")
        return line
    return Text(f"   · {rule['then']}  rule {rule['rule']}: {when} is false", style="dim")
