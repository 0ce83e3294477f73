"""What changed in a workflow, phase by phase, and what it means for its runs."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console
    from rich.text import Text

_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow"), "words": ("·", "dim")}


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show it."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    for phase, changes in groupby(output["changes"], key=lambda change: change["phase"]):
        console.print(Text(strip_controls(phase) or "the workflow", style="bold"))
        for change in changes:
            for line in _format_change(change):
                console.print(line, soft_wrap=True)
        console.print()
    before, after = output["before"], output["after"]
    for key, words in (("phases", "phases"), ("paths", "paths"), ("longest_run", "calls in the longest run")):
        if before[key] != after[key]:
            console.print(
                Text(f"{words}: {_format_number(before[key])} → {_format_number(after[key])}"), soft_wrap=True
            )
    if output["stale"]:
        named = ", ".join(strip_controls(name) for name in output["stale"])
        told = f"a run under way that has finished one of these goes back to it: {named}"
        console.print(Text(told, style="yellow"), soft_wrap=True)
    console.print(_format_verdict(output), soft_wrap=True)


def _format_change(change: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415 - as above

    sign, style = _SIGNS[change["sign"]]
    head = Text(f"  {sign} {strip_controls(change['text'])}", style=style)
    if change.get("breaking"):
        head.append("  breaking", style="bold red")
    if at := change.get("is_at") or change.get("was_at"):
        head.append(f"  {strip_controls(at)}", style="dim")
    yield head
    for word, key in (("was", "before"), ("is", "after")):
        if change.get(key):
            yield Text(f"      {word:4}{strip_controls(change[key])}")


def _format_verdict(output: Mapping[str, Any]) -> Text:
    from rich.text import Text  # noqa: PLC0415 - as above

    names = f"{strip_controls(output['before']['called'])} and {strip_controls(output['after']['called'])}"
    if not output["changes"]:
        return Text(f"{names} do the same", style="green")
    if output["same"]:
        return Text(f"{names} do the same, in other words", style="green")
    count = sum(change["sign"] != "words" for change in output["changes"])
    breaking = sum(bool(change.get("breaking")) for change in output["changes"])
    told = f"{names} differ in {count} {'way' if count == 1 else 'ways'}"
    return Text(f"{told}, {breaking} of them breaking" if breaking else told, style="red")


def _format_number(value: int | None) -> str:
    return "cannot be told" if value is None else f"{value:,}"
